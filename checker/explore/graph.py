"""The state graph of a small instance: as a networkx graph, as DOT, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...model.catalogue import model as model_named
from ...model.errors import DefinitionError
from ...model.protocol import Model
from ...model.step import Reference
from ...model.text import show
from ..diagram.drawing import Drawing, Edge, Node
from .generate import successors
from .packing import packed
from .program import program
from .run import select
from .search import Ends, Limits, Search

if TYPE_CHECKING:
    import networkx

MOST_STATES = 5000
MOST_DRAWN = 500
"""The most states of a picture that people can follow."""
MOST_LABELLED = 50
"""The most states of a picture whose steps have labels: more would hide it."""


def state_graph(
    model: Model | str, settings: Mapping[str, int], properties: list[str] | None = None, most: int = MOST_STATES
) -> networkx.MultiDiGraph[int]:
    """All reachable states and steps of an instance.

    Nodes are numbered in the order of the search, 0 is the initial state. A node has `state` (field -> value), `depth`
    and `violates` (names of *always* properties); an edge has `action` and `params`.

    Raises:
        DefinitionError: the instance has more than `most` states.
    """
    import networkx
    import numpy as np

    chosen, wanted, _ = select(model_named(model) if isinstance(model, str) else model, properties)
    instance = chosen.instance(**settings)
    reference = Reference(instance)
    translated = program(instance, [])
    search = Search(translated)
    found = search.run(translated.packing.pack(reference.initial()), Ends(Limits(states=max(most, MOST_STATES) + 1)))
    if found.stopped is not None or found.distinct > most:
        size = "" if found.stopped is not None else f" ({found.distinct:,})"
        raise DefinitionError(
            f"{instance.name} has more than {most:,} states{size}, too many to read as a graph. Choose smaller "
            f"settings (--set), print one path (--format mermaid or itf), or export up to {MOST_STATES:,} states "
            "to a graph tool (--export dot)"
        )
    always = [each for each in wanted if each.kind == "always"]
    graph: networkx.MultiDiGraph[int] = networkx.MultiDiGraph(name=instance.name)
    numbers: dict[int, int] = {}
    depths = [depth for depth, size in enumerate(found.levels) for _ in range(size)]
    for number in range(found.distinct):
        numbers[search.packed(number)] = number
        state = translated.packing.unpack(search.packed(number))
        graph.add_node(
            number,
            state=dict(zip(reference.names, state, strict=True)),
            depth=depths[number],
            violates=tuple(each.name for each in always if not reference.holds(each, state)),
        )
    words = [word[: found.distinct] for word in search.table.words]
    _, steps = search.expand(words)
    for index, mask, changed, _, overflow, _ in steps:
        move = translated.moves[index]
        rows = np.flatnonzero(mask if overflow is None else mask & ~overflow)
        new = successors(words, rows, changed)
        for at, row in enumerate(rows.tolist()):
            graph.add_edge(row, numbers[packed(new, at)], action=move.action.name, params=move.binding)
    return graph


def drawing(graph: networkx.MultiDiGraph[int], model: Model) -> Drawing:
    """The graph as a picture: states numbered from 1, red where a property is violated.

    Beyond MOST_LABELLED states it is a crowded one, with a colour for each action.
    """
    crowded = graph.number_of_nodes() > MOST_LABELLED
    nodes = []
    for number, data in graph.nodes(data=True):
        values = [f"{each.name}: {show(data['state'][each.name], each.sort)}" for each in model.fields]
        broken = [f"not {name}" for name in data["violates"]]
        label = values[0].partition(": ")[2] if len(values) == 1 and not crowded else f"{number + 1}"
        label = ", ".join([label, *([] if crowded else broken)])
        kind = "stranger" if broken else "seeded" if number == 0 else "plain"
        nodes.append(Node(f"s{number}", label, None, kind, "; ".join([*values, *broken])))
    labels: dict[tuple[int, int, str], list[str]] = {}
    for source, target, data in graph.edges(data=True):
        shown = ", ".join(str(value) for value in data["params"].values())
        step = data["action"] + (f"({shown})" if shown else "")
        labels.setdefault((source, target, data["action"] if crowded else ""), []).append(step)
    edges = [
        Edge(f"s{source}", f"s{target}", tuple(text), None, hidden=False, illegal=False, group=group)
        for (source, target, group), text in labels.items()
    ]
    counted = f"{graph.number_of_nodes():,} states, {graph.number_of_edges():,} steps; the initial state is blue"
    if any(broken for _, broken in graph.nodes(data="violates")):
        counted += "; red: a property is violated"
    legend = ("Each action has a colour; point at a state or a step to read it",) if crowded else ()
    return Drawing(str(graph.graph["name"]), (counted, *legend), tuple(nodes), tuple(edges), (), crowded)
