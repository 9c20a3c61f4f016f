"""Leads-to properties, on the graph of a finished search: is there a fair behaviour that waits forever?

A behaviour breaks `condition leads to goal` if from some state with the condition on the goal never holds again. In a
finite graph it ends up in a strongly connected part of the states without the goal, or in one state. It is fair if each
fair step (an action with its parameters) is taken there, or impossible in some state there: a weakly fair step is not
put off forever while it is always possible. A step that changes nothing does not count.

The largest parts are enough: whatever a smaller part allows, the whole one allows too.

Where only a limit of the instance forbids a fair step, the search was cut off: what would happen there is not known,
and no behaviour that stays there is reported.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.property import Property
from ...model.step import Reference
from .generate import build_masks, successors
from .program import Program
from .search import Search
from .trace import EngineError, Hop, Path, replay

Edge = tuple[int, int]
"""A state that a step leads to, and the move."""


@dataclass(frozen=True)
class Waiting:
    """The states without the goal that are reached from the condition without it.

    * `begins`: of these the states where the condition holds.
    * `edges`: for each of them the steps to others of them. `possible`: the fair moves that change a state, by move.
    """

    begins: tuple[int, ...]
    edges: Mapping[int, tuple[Edge, ...]]
    possible: Mapping[int, Any]


def counterexample(prop: Property, index: int, search: Search, program: Program, reference: Reference) -> Path | None:
    """A lasso that breaks a leads-to property, executed and checked by the reference; None if there is none.

    Args:
        index: the property's place in the program.
    """
    fair = [at for at, move in enumerate(program.moves) if move.action.name in prop.fair]
    waiting = _waiting(index, search, program, fair)
    found = _end(waiting, fair)
    if found is None:
        return None
    part, inside = found
    start, first = _path(waiting.begins, part, lambda state: waiting.edges[state])
    loop = _round(first[-1][0] if first else start, inside, waiting, fair)
    hops = [*_found(search, program, start), *(_hop(search, program, each) for each in (*first, *loop))]
    path = replay(reference, hops, program.packing.pack)
    lasso = path._replace(loop=path.length - 1 - len(loop))
    check(reference, prop, lasso)
    return lasso


def _waiting(index: int, search: Search, program: Program, fair: Sequence[int]) -> Waiting:
    import numpy as np

    table, lead = search.table, program.leads[index]
    masks = build_masks(program, [lead.condition, lead.goal, _cut_off(program, fair)])
    wanted, waits = np.zeros(table.count, bool), np.zeros(table.count, bool)
    for low, words in _chunks(search):
        condition, goal, cut = masks(words)
        here = slice(low, low + len(goal))
        waits[here] = ~goal & ~cut
        wanted[here] = condition & waits[here]
    possible = {move: np.zeros(table.count, bool) for move in fair}
    columns: list[tuple[Any, Any, Any]] = []
    for low, words in _chunks(search):
        for move, mask, changed, _, overflow, _ in search.expand(words)[1]:
            rows = np.flatnonzero(mask & waits[low : low + len(mask)])
            if overflow is not None:
                rows = rows[~overflow.take(rows)]
            if not len(rows):
                continue
            targets = table.find(successors(words, rows, changed))
            moves = targets != rows + low
            rows, targets = rows[moves] + low, targets[moves]
            if move in possible:
                possible[move][rows] = True
            stays = waits.take(targets)
            columns.append((rows[stays], targets[stays], np.full(int(stays.sum()), move)))
    edges: dict[int, list[Edge]] = {}
    for rows, targets, moves in columns:
        for row, target, move in zip(rows.tolist(), targets.tolist(), moves.tolist(), strict=True):
            edges.setdefault(row, []).append((target, move))
    begins = tuple(np.flatnonzero(wanted).tolist())
    reached = dict.fromkeys(begins)
    queue = deque(begins)
    while queue:
        for target, _ in edges.get(queue.popleft(), ()):
            if target not in reached:
                reached[target] = None
                queue.append(target)
    return Waiting(begins, {state: tuple(edges.get(state, ())) for state in reached}, possible)


def _cut_off(program: Program, fair: Sequence[int]) -> int:
    """The scalar node that is true where a limit, and nothing else, forbids a fair step."""
    s, found = program.scalars, []
    for move in (program.moves[at] for at in fair):
        limits = {each.label for each in move.action.limits}
        within = s.both(*(node for label, node in move.clauses if label in limits))
        found.append(s.both(s.invert(within), *(node for label, node in move.clauses if label not in limits)))
    return s.either(*found)


def _chunks(search: Search) -> Iterator[tuple[int, list[Any]]]:
    for low in range(0, search.table.count, search.chunk):
        high = min(low + search.chunk, search.table.count)
        yield low, [word[low:high].copy() for word in search.table.words]


def _end(waiting: Waiting, fair: Sequence[int]) -> tuple[frozenset[int], Mapping[int, tuple[Edge, ...]]] | None:
    """Return the states in which a fair behaviour can stay, and the steps between them; None if there are none."""
    for state in sorted(waiting.edges):
        if not any(waiting.possible[move][state] for move in fair):
            return frozenset((state,)), {state: ()}
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_edges_from((state, target) for state, edges in waiting.edges.items() for target, _ in edges)
    parts = [frozenset(part) for part in networkx.strongly_connected_components(graph) if len(part) > 1]
    for part in sorted(parts, key=min):
        inside = {state: tuple(each for each in waiting.edges[state] if each[0] in part) for state in part}
        taken = {move for edges in inside.values() for _, move in edges}
        if all(move in taken or not all(waiting.possible[move][state] for state in part) for move in fair):
            return part, inside
    return None


def _path(
    begins: Iterable[int], ends: frozenset[int], edges: Callable[[int], Iterable[Edge]]
) -> tuple[int, tuple[Edge, ...]]:
    """A shortest path from one of some states to one of others: where it begins, and its steps."""
    parents: dict[int, tuple[int, int] | None] = dict.fromkeys(begins)
    queue = deque(parents)
    while queue:
        state = queue.popleft()
        if state in ends:
            steps: list[Edge] = []
            while (parent := parents[state]) is not None:
                steps.append((state, parent[1]))
                state = parent[0]
            return state, tuple(reversed(steps))
        for target, move in edges(state):
            if target not in parents:
                parents[target] = (state, move)
                queue.append(target)
    raise EngineError("there is no path within the states that wait")


def _round(
    start: int, inside: Mapping[int, tuple[Edge, ...]], waiting: Waiting, fair: Sequence[int]
) -> tuple[Edge, ...]:
    """A cycle from a state on in which each fair move is taken, or is impossible in some state."""
    steps: list[Edge] = []
    state = start

    def go(ends: frozenset[int]) -> None:
        nonlocal state
        _, more = _path((state,), ends, lambda each: sorted(inside[each]))
        steps.extend(more)
        state = more[-1][0] if more else state

    for move in fair:
        seen = {start, *(each for each, _ in steps)}
        if move in {each for _, each in steps} or not all(waiting.possible[move][each] for each in seen):
            continue
        impossible = frozenset(each for each in inside if not waiting.possible[move][each])
        if impossible:
            go(impossible)
            continue
        go(frozenset(each for each, edges in inside.items() if any(taken == move for _, taken in edges)))
        steps.append(min(each for each in inside[state] if each[1] == move))
        state = steps[-1][0]
    if len(inside) > 1 and not steps:
        steps.append(min(inside[state]))
        state = steps[-1][0]
    go(frozenset((start,)))
    return tuple(steps)


def _found(search: Search, program: Program, state: int) -> list[Hop]:
    """The moves by which the search came to a state."""
    return [_hop(search, program, each) for each in search.trail(state)]


def _hop(search: Search, program: Program, edge: Edge) -> Hop:
    state, move = edge
    return Hop(program.moves[move].action.name, program.moves[move].binding, search.packed(state))


def check(reference: Reference, prop: Property, lasso: Path) -> None:
    """Make sure, by the reference, that a lasso is a fair behaviour that breaks the property.

    Raises:
        EngineError: it is not.
    """
    loop, goal = lasso.loop, prop.goal
    if loop is None or goal is None or lasso.states[loop] != lasso.states[-1]:
        raise EngineError(f"the lasso for {prop.name} does not return to one of its states")
    reaches = [reference.truth(goal, state) for state in lasso.states]
    last = max((at for at, holds in enumerate(reaches) if holds), default=-1)
    if last >= loop or not any(reference.truth(prop.condition, state) for state in lasso.states[last + 1 :]):
        raise EngineError(f"the reference does not see {prop.name} broken by the lasso")
    always: set[tuple[str, Any]] | None = None
    for state in lasso.states[loop:]:
        able = {
            (step.action, tuple(step.params.items()))
            for step in reference.successors(state)
            if step.action in prop.fair and step.state != state and not step.overflows
        }
        always = able if always is None else always & able
    taken = {(step.action, tuple(step.params.items())) for step in lasso.steps[loop:]}
    if (always or set()) - taken:
        raise EngineError(f"the lasso for {prop.name} is not fair: {sorted((always or set()) - taken)} can be taken")
