"""Reports of a run: text, one JSON object, ITF (Apalache's and Quint's trace format); `drawn` has the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.action import Action
from ...model.protocol import Model
from ...model.sorts import (
    SCALARS,
    BoolSort,
    BySort,
    EnumSort,
    FiniteSort,
    IntSort,
    MapSort,
    OpenSort,
    OptionSort,
    RecordSort,
    SeqSort,
    SetSort,
    Settings,
    Sort,
    Value,
    elements,
)
from ...model.text import show, text
from .result import Decided, Exploration
from .trace import Path, Step
from .why import why


def text_report(result: Exploration) -> str:
    """The run as a person reads it."""
    model = result.instance.model
    lines = [f"{result.instance.name}: {result.verdict}", f"  {model.statement}"]
    for each in result.properties:
        lines.append(f"  {_mark(each)} {each.prop.name}: {_decided(each)}")
    if result.left_out:
        suspending = [each.name for each in model.behaviours if set(each.suspends) & set(result.left_out)]
        lines.append(
            f"  left out: {', '.join(result.left_out)} (not promised with {', '.join(suspending)}; ask with --property)"
        )
    at_bound = f", {result.at_bound:,} of them only at a limit of the model" if result.at_bound else ""
    lines.append(
        f"  {result.distinct:,} distinct states, {result.generated:,} generated, depth {result.depth}, "
        f"{result.deadlocks:,} without successor" + at_bound
    )
    if result.orbits is not None:
        lines.append(f"  {result.orbits:,} searched, one for all renamings (--no-symmetry: all)")
    if model.left_out:
        lines.append(f"  {not_in(model)}")
    if result.stopped:
        lines.append(f"  unfinished: the search stopped at {result.stopped}")
    idle = [each.action for each in result.coverage if each.taken == 0]
    if idle:
        lines.append(f"  never taken: {', '.join(idle)}")
    if any(each.alone is not None for each in result.coverage):
        lines += coverage_lines(result)
    lines.append(f"  {result.seconds:.2f} s, {result.peak_mb} MB")
    paths_before: list[tuple[str, Path]] = []
    for each in result.violations:
        if each.path is not None:
            lines += ["", f"{each.prop.name}: {each.prop.statement}", *_path_lines_once(each.path, paths_before)]
            lines += [f"  {line}" for line in why(each.prop, each.path)]
            paths_before.append((each.prop.name, each.path))
    return "\n".join(lines)


def not_in(model: Model) -> str:
    """Return the names of what a model leaves out, for each of its verdicts. `model_lines` explains each."""
    names = "; ".join(each.split(" (", 1)[0] for each in model.left_out)
    return f"not in this model (for more: isrproof explore MODEL --list): {names}"


def model_lines(model: Model) -> list[str]:
    """All of a model as text: settings, behaviours, state, actions with their guards and updates, properties."""
    lines = [f"{model.name}: {model.statement}"]
    if model.settings:
        lines.append("settings")
        lines += [f"    {each.name} = {each.default}: {each.meaning}" for each in model.settings]
    if model.behaviours:
        lines.append("behaviours, each on top of the earlier ones")
        lines += [f"    {each.name}: {each.statement}" for each in model.behaviours]
    if model.left_out:
        lines.append("parts left out")
        lines += [f"    {each}" for each in model.left_out]
    lines.append("state")
    for field in model.fields:
        lines.append(f"    {field.name}: {field.sort}; {field.meaning}; starts as {text(field.initial)}")
    for action in model.actions:
        lines += action_lines(action)
    watched = [prop for ghosts in model.ghosts for prop in ghosts.properties]
    lines.append("properties")
    for prop in (*model.properties, *watched):
        lines.append(f"    {prop.name} ({prop.kind}): {prop.statement}")
        lines.append(f"        {text(prop.condition)}")
        if prop.goal is not None:
            lines += [f"        leads to {text(prop.goal)}", f"        if these are fair: {', '.join(prop.fair)}"]
    return lines


def action_lines(action: Action) -> list[str]:
    """An action as text: its limits, guard clauses and updates, one a line."""
    cites = f" [{', '.join(action.cites)}]" if action.cites else ""
    params = ", ".join(f"{param.data}: {param.sort}" for param in action.params)
    lines = [f"action {action.name}({params}): {action.statement}{cites}"]
    lines += [f"    limit {each.label}: {text(each.condition)}" for each in action.limits]
    for each in action.guard:
        waiver = f" (needed by no property: {each.waiver})" if each.waiver else ""
        lines.append(f"    when {each.label}: {text(each.condition)}{waiver}")
    return lines + [f"    then {each.field.data}' = {text(each.value)}" for each in action.updates]


def coverage_lines(result: Exploration) -> list[str]:
    """Per action how often it was taken; per clause how often it alone forbade a step."""
    lines = ["  coverage: action, times taken; per clause, how often it alone forbade the step"]
    for each in result.coverage:
        lines.append(f"    {each.action}  {each.taken:,}")
        for label, count in (each.alone or {}).items():
            lines.append(f"      {count:>12,}  {label}" + ("  (never decides)" if count == 0 else ""))
    return lines


def _mark(each: Decided) -> str:
    if each.vacuous:
        return "VACUOUS"
    return {"holds": "ok", "violated": "VIOLATED", "unknown": "unknown"}[each.verdict]


def _decided(each: Decided) -> str:
    if each.verdict == "violated" and each.path is not None:
        return f"violated, {each.path.length} states" + (f"; {each.reason}" if each.reason else "")
    if each.verdict == "holds" and each.path is not None:
        return f"met after {each.path.length} states"
    if each.vacuous:
        return f"holds, but says nothing here: {each.vacuous}"
    return each.reason or each.verdict


def _path_lines_once(path: Path, paths_before: list[tuple[str, Path]]) -> list[str]:
    """Return the lines of a path; where it begins with a whole path that was printed before, only the rest."""
    for name, other in paths_before:
        if path.states[: other.length] == other.states:
            if path.length == other.length:
                return [f"  the same path as {name}"]
            return [f"  1 to {other.length}: the same as {name}", *path_lines(path, other.length)]
    return ["   1. initial state", *path_lines(path)]


def path_lines(path: Path, skip: int = 1) -> list[str]:
    """A path after its first `skip` states, one step a paragraph: action, parameters, meaning, and what changed."""
    lines = []
    for number, step in enumerate(path.steps[skip - 1 :], skip + 1):
        meaning = path.instance.model.action(step.action).statement
        lines.append(f"  {number:>2}. {step_text(path, step)}: {meaning}")
        for field, (old, new) in step.changes.items():
            lines.append(f"        {change_text(path, field, old, new)}")
    return [*lines, *_loop_lines(path)]


def _loop_lines(path: Path) -> list[str]:
    """Return the lines on how a lasso goes on."""
    if path.loop is None:
        return []
    if path.loop == path.length - 1:
        return ["  and there it stays: no fair step changes anything"]
    return [f"  and so on from {path.loop + 1}, forever"]


def step_text(path: Path, step: Step) -> str:
    """`LeaderWrite(leader=0)`."""
    action = path.instance.model.action(step.action)
    sorts = {str(param.data): param.sort for param in action.params}
    return f"{step.action}({', '.join(f'{name}={show(value, sorts[name])}' for name, value in step.params.items())})"


def change_text(path: Path, field: str, old: Value, new: Value) -> str:
    """`hw[1]: 0 -> 1`: of maps and records, also inside each other, only what changed."""
    return ", ".join(_changed(field, path.sort(field), old, new, path.instance.settings))


def _changed(place: str, sort: Sort, old: Value, new: Value, settings: Settings) -> Iterator[str]:
    if isinstance(sort, OptionSort) and old is not None and new is not None:
        sort = sort.element
    if isinstance(sort, MapSort) and len(old) == len(new):
        keys = elements(sort.key, settings)
        parts = [(f"{place}[{show(key, sort.key)}]", sort.value) for key in keys]
    elif isinstance(sort, RecordSort):
        parts = [(f"{place}.{name}", inner) for name, inner in sort.fields]
    else:
        yield f"{place}: {show(old, sort)} -> {show(new, sort)}"
        return
    for (inside, inner), was, now in zip(parts, old, new, strict=True):
        if was != now:
            yield from _changed(inside, inner, was, now, settings)


def json_report(result: Exploration) -> dict[str, Any]:
    """The run as one JSON object."""
    return {
        "model": result.instance.model.name,
        "settings": dict(result.instance.settings),
        "behaviours": [each.name for each in result.instance.model.behaviours],
        "verdict": result.verdict,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "deadlocks": result.deadlocks,
        "at_bound": result.at_bound,
        "symmetry": result.orbits is not None,
        "orbits": result.orbits,
        "stopped": result.stopped,
        "properties": [
            {
                "name": each.prop.name,
                "kind": each.prop.kind,
                "statement": each.prop.statement,
                "verdict": each.verdict,
                "reason": each.reason or None,
                "vacuous": each.vacuous or None,
                "length": each.path.length if each.path else None,
            }
            for each in result.properties
        ],
        "violated": [each.prop.name for each in result.violations],
        "violations": [violation_json(each) for each in result.violations],
        "left_out": list(result.left_out),
        "parts_left_out": list(result.instance.model.left_out),
        "coverage": [
            {
                "action": each.action,
                "taken": each.taken,
                **({} if each.alone is None else {"alone_false": dict(each.alone)}),
            }
            for each in result.coverage
        ],
        "seconds": round(result.seconds, 3),
        "peak_mb": result.peak_mb,
    }


def violation_json(each: Decided) -> dict[str, Any]:
    """A violated property with its counterexample: `length` counts states, `steps` have action, parameters, changes."""
    return {
        "property": each.prop.name,
        "length": each.path.length if each.path else None,
        **({"loop": each.path.loop} if each.path is not None and each.path.loop is not None else {}),
        "reason": each.reason or None,
        "fails": [] if each.path is None else why(each.prop, each.path),
        "steps": [] if each.path is None else [step_json(each.path, step) for step in each.path.steps],
    }


def step_json(path: Path, step: Step) -> dict[str, Any]:
    """One step: `changes` gives field -> [before, after] in plain JSON values."""
    settings = path.instance.settings
    changes = {
        field: [plain(value, path.sort(field), settings) for value in pair] for field, pair in step.changes.items()
    }
    return {"action": step.action, "params": dict(step.params), "changes": changes}


def plain(value: Value, sort: Sort, settings: Settings) -> Any:
    """A value as JSON: sets as sorted lists, records and maps as objects, none as null."""
    return _PLAIN[type(sort)](value, sort, settings)


def _plain_option(value: Value, sort: OptionSort, settings: Settings) -> Any:
    return None if value is None else plain(value, sort.element, settings)


def _plain_record(value: Value, sort: RecordSort, settings: Settings) -> dict[str, Any]:
    return {name: plain(each, inner, settings) for (name, inner), each in zip(sort.fields, value, strict=True)}


def _plain_map(value: Value, sort: MapSort, settings: Settings) -> dict[str, Any]:
    keys = elements(sort.key, settings)
    return {str(key): plain(each, sort.value, settings) for key, each in zip(keys, value, strict=True)}


_PLAIN: BySort[Any] = BySort(
    {
        **dict.fromkeys(SCALARS, lambda value, sort, settings: value),
        SetSort: lambda value, sort, settings: sorted(value),
        OptionSort: _plain_option,
        RecordSort: _plain_record,
        MapSort: _plain_map,
        SeqSort: lambda value, sort, settings: [plain(each, sort.element, settings) for each in value],
    }
)


def itf(path: Path, name: str) -> dict[str, Any]:
    """The path in the Informal Trace Format: https://apalache-mc.org/docs/adr/015adr-trace.html .

    Values are written as the exported TLA+ module has them: elements of a finite sort are numbers, an option is a list
    of no or one value.
    """
    fields = path.instance.model.fields
    settings = path.instance.settings
    states = []
    for index, state in enumerate(path.states):
        shown = {field.name: _itf(value, field.sort, settings) for field, value in zip(fields, state, strict=True)}
        action = "init" if index == 0 else step_text(path, path.steps[index - 1])
        states.append({"#meta": {"index": index, "action": action}, **shown})
    return {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": name,
        },
        "params": [],
        "vars": [field.name for field in fields],
        "states": states,
        **({} if path.loop is None else {"loop": path.loop}),
    }


def _itf(value: Value, sort: Sort, settings: Settings) -> Any:
    return _ITF[type(sort)](value, sort, settings)


def _itf_set(value: Value, sort: SetSort, settings: Settings) -> Any:
    return {"#set": [_itf(each, sort.element, settings) for each in sorted(value)]}


def _itf_option(value: Value, sort: OptionSort, settings: Settings) -> Any:
    return [] if value is None else [_itf(value, sort.element, settings)]


def _itf_record(value: Value, sort: RecordSort, settings: Settings) -> Any:
    return {name: _itf(each, inner, settings) for (name, inner), each in zip(sort.fields, value, strict=True)}


def _itf_map(value: Value, sort: MapSort, settings: Settings) -> Any:
    pairs = zip(elements(sort.key, settings), value, strict=True)
    return {"#map": [[_itf(key, sort.key, settings), _itf(each, sort.value, settings)] for key, each in pairs]}


_ITF: BySort[Any] = BySort(
    {
        BoolSort: lambda value, sort, settings: value,
        **dict.fromkeys((IntSort, FiniteSort), lambda value, sort, settings: {"#bigint": str(value)}),
        **dict.fromkeys((EnumSort, OpenSort), lambda value, sort, settings: str(value)),
        SetSort: _itf_set,
        OptionSort: _itf_option,
        RecordSort: _itf_record,
        MapSort: _itf_map,
        SeqSort: lambda value, sort, settings: [_itf(each, sort.element, settings) for each in value],
    }
)
