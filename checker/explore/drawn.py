"""A path as a sequence diagram: a lane for each element of a finite sort that a step reads or writes."""

from __future__ import annotations

from ...model.action import Action
from ...model.expr import Op, topological
from ...model.sorts import FiniteSort, MapSort, elements
from ..diagram import sequence_mermaid, sequence_svg
from ..diagram.sequence import BAD, Happening, SequenceDrawing
from .report import change_text, step_text
from .result import Decided
from .trace import Path, Step
from .why import why

SHARED = ("shared", "shared state")
"""The lane of what belongs to no element."""
ARROWS = "An arrow leads from the element whose state a step reads to the one whose state it writes."


def drawing(path: Path, decided: Decided | None = None) -> SequenceDrawing:
    """The diagram of a path; of the property that it decides, its end is red."""
    lanes: dict[str, str] = {}
    happenings = []
    for number, step in enumerate(path.steps, 2):
        action = path.instance.model.action(step.action)
        written, read = _written(path, step), _read(action, step)
        targets = written or dict((SHARED,))
        sources = {key: label for key, label in read.items() if key not in written}
        lanes |= targets | sources
        is_arrow = len(targets) == len(sources) == 1
        text = (
            f"{number}. {step_text(path, step)}",
            *(change_text(path, field, *values) for field, values in step.changes.items()),
        )
        happenings.append(Happening(text, (*sources, *targets) if is_arrow else tuple(targets), is_arrow))
    lanes = dict(sorted(lanes.items(), key=lambda each: (each[0] == SHARED[0], each[0])))
    order = list(lanes)
    happenings = [each if each.is_arrow else _from_left(each, order) for each in happenings]
    everywhere = tuple(lanes) or (SHARED[0],)
    if path.loop is not None and path.loop == len(path.steps):
        happenings.append(Happening(("and there it stays: no fair step changes anything",), everywhere))
    caption = [ARROWS] if any(each.is_arrow for each in happenings) else []
    name = path.instance.name
    if decided is not None and decided.verdict == "violated":
        caption.append(f"Red: {decided.prop.name} is violated.")
        reasons = [decided.reason] if decided.reason else [line.strip() for line in why(decided.prop, path)]
        happenings.append(Happening((f"{decided.prop.name} is violated", *reasons), everywhere, kind=BAD))
    title = name if decided is None else f"{name}: {decided.prop.name}"
    return SequenceDrawing(title, tuple(caption), tuple(lanes.items()) or (SHARED,), tuple(happenings), path.loop)


def mermaid(path: Path, decided: Decided | None = None) -> str:
    """The diagram of a path as Mermaid text."""
    return sequence_mermaid.write(drawing(path, decided))


def svg(path: Path, decided: Decided | None = None) -> str:
    """The diagram of a path as SVG."""
    return sequence_svg.write(drawing(path, decided))


def _from_left(each: Happening, order: list[str]) -> Happening:
    ends = sorted(each.lanes, key=order.index)
    return Happening(each.lines, tuple(ends), kind=each.kind)


def _lane(sort: FiniteSort, element: object) -> tuple[str, str]:
    return f"{sort.name}{element}", f"{sort.name} {element}"


def _written(path: Path, step: Step) -> dict[str, str]:
    """Return the lanes of the elements for which a step changes the entry of a map."""
    found: dict[str, str] = {}
    for field, (old, new) in step.changes.items():
        sort = path.sort(field)
        if isinstance(sort, MapSort) and isinstance(sort.key, FiniteSort):
            for key, was, now in zip(elements(sort.key, path.instance.settings), old, new, strict=True):
                if was != now:
                    found.update((_lane(sort.key, key),))
    return found


def _read(action: Action, step: Step) -> dict[str, str]:
    """Return the lanes of the parameters at which an action reads a map."""
    keys = {node.args[1] for expr in action.expressions for node in topological(expr) if node.op is Op.MAP_GET}
    return dict(
        _lane(param.sort, step.params[str(param.data)])
        for param in action.params
        if param in keys and isinstance(param.sort, FiniteSort)
    )
