"""A family of models as a picture of its speakers: each writes and reads what others hold."""

from __future__ import annotations

from ...model.action import Action, Update
from ...model.expr import Expr, Op, free, topological
from ...model.family import Family
from ...model.protocol import Model
from ...model.reading import operators
from ...model.sorts import MapSort, SeqSort
from .drawing import Drawing, Edge, Node

MOST_LABELS = 6
"""Labels of an arrow beyond which the picture only counts them; `isrproof explore MODEL --list` has all."""


def draw(family: Family, release: str | None = None) -> Drawing:
    """The picture of a release, with all parts.

    An arrow leads from the holder of a field to the actor that uses it in a step, and from the actor of a step to the
    holder of what it writes; its labels are the steps. An actor speaks into a queue by putting something into it.

    Raises:
        IsrproofError: the family has no row for the release, or does not name the holders of its fields.
    """
    model = family.model(release, adding=[each.name for each in family.parts])
    labels: dict[tuple[str, str], list[str]] = {}
    for action in model.actions:
        for pair in _pairs(family, action):
            labels.setdefault(pair, []).append(action.name)
    names = dict.fromkeys([*family.owners.values(), *(family.actor(each) for each in model.actions)])
    ids = {name: f"n{number}" for number, name in enumerate(names)}
    nodes = tuple(Node(ids[name], name, None, "plain", _held(family, model, name)) for name in names)
    edges = tuple(
        Edge(ids[source], ids[target], _labels(steps), None, hidden=False, illegal=False)
        for (source, target), steps in labels.items()
    )
    row = family.release(release)
    caption = ("An arrow: one reads the other's state, or writes to it; its label names the steps",)
    return Drawing(f"{family.name}: communication, in Kafka {row.name}", caption, nodes, edges, ())


def _pairs(family: Family, action: Action) -> list[tuple[str, str]]:
    actor, read, written = family.actor(action), set[str | None](), set[str | None]()
    for each in action.updates:
        read |= {family.owners.get(name) for name in _read(each)}
        if not _is_queue(each.field) or Op.SEQ_APPEND in operators(each.value):
            written.add(family.owners.get(str(each.field.data)))
    if actor not in family.owners.values():  # an actor from outside writes to somebody, and reads from nobody
        read = set()
    found = [(one, actor) for one in family.owners.values() if one in read and one != actor]
    found += [(actor, one) for one in family.owners.values() if one in written and one != actor]
    return list(dict.fromkeys(found))


def _read(update: Update) -> set[str]:
    """Return the fields that a new value reads, except the updated one; a queue is read by the taker of its head."""
    found = {str(leaf.data) for leaf in free(update.value) if leaf.op is Op.FIELD and not _is_queue(leaf)}
    for node in topological(update.value):
        if node.op is Op.SEQ_AT:
            found |= {str(leaf.data) for leaf in free(node) if leaf.op is Op.FIELD}
    return found - {str(update.field.data)}


def _is_queue(of: Expr) -> bool:
    sort = of.sort
    while isinstance(sort, MapSort):
        sort = sort.value
    return isinstance(sort, SeqSort)


def _held(family: Family, model: Model, name: str) -> str:
    return "; ".join(each.meaning for each in model.fields if family.owners.get(each.name) == name)


def _labels(steps: list[str]) -> tuple[str, ...]:
    if len(steps) <= MOST_LABELS:
        return tuple(steps)
    return (*steps[: MOST_LABELS - 1], f"and {len(steps) - MOST_LABELS + 1} more")
