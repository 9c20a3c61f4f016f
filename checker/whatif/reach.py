"""All that can be reached from many states at once, and from which of them a property can be broken, how soon.

Partitions lead to the same states, so these are searched once: a graph. Backward from the states and steps that break a
property it gives each first state its distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...model.property import Property
from ...model.protocol import Instance
from ...model.step import State
from ..explore.generate import successors
from ..explore.program import Move, Program, program
from ..explore.search import CHUNK, Search
from ..explore.trace import EngineError

UNREACHED = -1


@dataclass(frozen=True)
class Graph:
    """The states that are reached, and the steps between them, as columns; a state is a number."""

    program: Program
    states: int
    """The number of states."""
    first: Any
    """The number of each state that the search began with."""
    sources: Any
    targets: Any
    moves: Any
    broken_in: Sequence[Any]
    """For each property the states that break it; None for a property of steps."""
    broken_by: Sequence[Any]
    """For each property the steps that break it; None for a property of states."""


def searching(instance: Instance, properties: Sequence[Property]) -> Search:
    """Return a search that `reached` uses, once or more often: to make it takes longer than to use it."""
    return Search(program(instance, properties))


def reached(search: Search, initial: Sequence[State]) -> Graph:
    """Search all that can be reached from some states.

    Raises:
        EngineError: a field gets a value that it cannot hold.
    """
    import numpy as np

    translated, properties = search.program, search.program.properties
    table = search.table = search.table.empty()
    words = translated.packing.words(*(translated.packing.pack(each) for each in initial))
    table.enter(words, 0, 0)
    first = table.find(words)
    steps: list[tuple[Any, Any, Any]] = []
    broken: dict[int, list[Any]] = {index: [] for index in range(len(properties))}
    low = edges = 0
    while low < table.count:
        high = min(low + CHUNK, table.count)
        chunk = [each[low:high].copy() for each in table.words]
        watched, found = search.expand(chunk)
        for watch, mask in zip(translated.state_watches, watched, strict=True):
            broken[watch.prop].append(mask.nonzero()[0] + low)
        for move, mask, changed, _, overflow, fires in found:
            rows = mask.nonzero()[0]
            if not len(rows):
                continue
            if overflow is not None and overflow.take(rows).any():
                raise EngineError(
                    f"{translated.moves[move].action.name} overflows a field of {translated.instance.name}"
                )
            new = successors(chunk, rows, changed)
            table.enter(new, 0, 0)
            steps.append((rows + low, table.find(new), np.full(len(rows), move, np.int32)))
            for prop, fired in fires:
                broken[prop].append(fired.take(rows).nonzero()[0] + edges)
            edges += len(rows)
        low = high
    empty = np.empty(0, np.intp)
    sources, targets, moves = (
        (np.concatenate([empty, *column]) for column in zip(*steps, strict=True)) if steps else ((empty,) * 3)
    )
    places = [np.concatenate([empty, *broken[index]]) for index in range(len(properties))]
    of_step = [bool(each.needs_after) for each in properties]
    return Graph(
        translated,
        table.count,
        first,
        sources,
        targets,
        moves,
        [None if step else place for step, place in zip(of_step, places, strict=True)],
        [place if step else None for step, place in zip(of_step, places, strict=True)],
    )


@dataclass(frozen=True)
class Distances:
    """For each state the fewest steps until a property is broken, and the first of them; UNREACHED: it never is."""

    graph: Graph
    prop: int
    steps: Any
    by: Any

    def of(self, number: int) -> int | None:
        """Return the fewest steps from the n-th state that the search began with; None: the property always holds."""
        found = int(self.steps[self.graph.first[number]])
        return None if found == UNREACHED else found

    def moves(self, number: int) -> list[Move]:
        """Return the moves of a shortest way from the n-th state that the search began with."""
        graph = self.graph
        at = int(graph.first[number])
        found = []
        for _ in range(int(self.steps[at])):
            edge = int(self.by[at])
            found.append(graph.program.moves[int(graph.moves[edge])])
            at = int(graph.targets[edge])
        return found


def distances(graph: Graph, prop: int) -> Distances:
    """Return the distances to what breaks a property, by its place in the program."""
    import numpy as np

    steps = np.full(graph.states, UNREACHED, np.int32)
    by = np.full(graph.states, UNREACHED, np.intp)
    if graph.broken_in[prop] is not None:
        steps[graph.broken_in[prop]] = 0
    breaking = graph.broken_by[prop]
    if breaking is not None:
        sources = graph.sources.take(breaking)
        steps[sources] = 1
        by[sources[::-1]] = breaking[::-1]
    depth = 0 if breaking is None else 1
    while (steps == depth).any():
        depth += 1
        edges = np.flatnonzero((steps.take(graph.targets) == depth - 1) & (steps.take(graph.sources) == UNREACHED))
        sources = graph.sources.take(edges)
        steps[sources] = depth
        by[sources[::-1]] = edges[::-1]
    return Distances(graph, prop, steps, by)
