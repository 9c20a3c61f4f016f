"""Fields of a model that hold one of a few named values, as pictures of state machines.

The moves, and the steps that make them, are those of all reachable states of an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...model.errors import DefinitionError
from ...model.protocol import Instance, Model
from ...model.sorts import EnumSort, MapSort, Sort, Value
from ...model.step import Reference
from ..diagram.drawing import Drawing, Edge, Node
from .graph import state_graph

MOST_LABELS = 6
"""The most steps that are named at one move."""


def drawing(model: Model, settings: Mapping[str, int]) -> Drawing:
    """The picture of an instance: a machine for each field of an enum, or of a map to one.

    Raises:
        DefinitionError: no field has such a sort; the instance has too many states.
    """
    instance = model.instance(**settings)
    machines = {each.name: enum for each in model.fields if (enum := _enum(each.sort)) is not None}
    if not machines:
        raise DefinitionError(
            f"no field of {model.name} is an enum, so it has no state machine to draw; "
            "`isrproof explore MODEL --export svg` draws its states"
        )
    moves = _moves(instance, machines)
    ids = {(field, value): f"s{number}" for number, (field, value) in enumerate(_values(machines))}
    reference = Reference(instance)
    initial = dict(zip(reference.names, reference.initial(), strict=True))
    sorts = {each.name: each.sort for each in model.fields}
    starts = {(field, value) for field in machines for value in _flat(initial[field], sorts[field])}
    reached = starts | {(field, new) for field, _, new in moves}
    several = len(machines) > 1
    nodes = tuple(
        Node(each, f"{key[0]}: {key[1]}" if several else key[1], None, _kind(key in starts, key in reached))
        for key, each in ids.items()
    )
    edges = tuple(
        Edge(ids[field, old], ids[field, new], _labels(list(steps)), None, hidden=False, illegal=False)
        for (field, old, new), steps in moves.items()
    )
    meaning = "Blue: where it starts. A move is named by the steps that make it, in all reachable states"
    caption = (meaning, "White: never reached here") if len(reached) < len(ids) else (meaning,)
    return Drawing(f"{instance.name}: {', '.join(machines)}", caption, nodes, edges, ())


def _kind(is_start: bool, is_reached: bool) -> str:
    return "seeded" if is_start else "plain" if is_reached else "unknown"


def _enum(sort: Sort) -> EnumSort | None:
    while isinstance(sort, MapSort):
        sort = sort.value
    return sort if isinstance(sort, EnumSort) else None


def _values(machines: Mapping[str, EnumSort]) -> Iterator[tuple[str, str]]:
    for field, enum in machines.items():
        yield from ((field, value) for value in enum.values)


def _flat(value: Value, sort: Sort) -> Iterator[Value]:
    if isinstance(sort, MapSort):
        for each in value:
            yield from _flat(each, sort.value)
    else:
        yield value


def _moves(instance: Instance, machines: Mapping[str, EnumSort]) -> dict[tuple[str, str, str], dict[str, None]]:
    """Return (field, value before, value after) -> the steps that make this move, in the order of the values."""
    graph = state_graph(instance.model, instance.settings)
    sorts = {each.name: each.sort for each in instance.model.fields if each.name in machines}
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    step: str
    for source, target, step in graph.edges(data="action"):
        before, after = graph.nodes[source]["state"], graph.nodes[target]["state"]
        for field, sort in sorts.items():
            pairs = zip(_flat(before[field], sort), _flat(after[field], sort), strict=True)
            for old, new in dict.fromkeys(pairs):
                if old != new:
                    found.setdefault((field, old, new), {})[step] = None
    order = {key: number for number, key in enumerate(_values(machines))}
    return {
        key: dict.fromkeys(each.name for each in instance.model.actions if each.name in steps)
        for key, steps in sorted(found.items(), key=lambda each: (order[each[0][:2]], order[each[0][0], each[0][2]]))
    }


def _labels(steps: list[str]) -> tuple[str, ...]:
    if len(steps) <= MOST_LABELS:
        return tuple(steps)
    return (*steps[: MOST_LABELS - 1], f"and {len(steps) - MOST_LABELS + 1} more")
