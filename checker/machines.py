"""Kafka's state machines in two libraries: as `transitions` machines, as `networkx` graphs; and what the graphs imply.

All of it is made from the tables of specs/machines. A library is imported by the function that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..specs.machines import machine
from ..specs.releases import Release

if TYPE_CHECKING:
    import networkx
    import transitions


def trigger(target: str) -> str:
    """The event of a `transitions` machine that asks for a move to `target`."""
    return f"become_{target}"


def transition_machine(name: str, release: Release | str | None = None) -> transitions.Machine:
    """A `transitions` machine of one entity, in the state of an entity not met yet.

    `machine.trigger(trigger(target))` moves it; a move that the table of that release does not hold raises
    `transitions.MachineError` and leaves the state as it was, as Kafka's own guard does. It is its own model.
    """
    import transitions

    table = machine(name)
    states = [state.name for state in table.states_in(release)]
    made = transitions.Machine(
        states=states,
        initial=table.unknown_is,
        auto_transitions=False,
        name=f"{table.name} {table.release(release).name}",
    )
    for target in states:
        made.add_transition(trigger(target), list(table.previous(target, release)), target)
    return made


def graph(name: str, release: Release | str | None = None) -> networkx.DiGraph[str]:
    """The valid moves of a release. Nodes carry `code`, `meaning`, `seeded`; edges `line`, `level`, `silent_when`."""
    import networkx

    table = machine(name)
    seeds = {seed.state: seed.meaning for seed in table.seeds_in(release)}
    made: networkx.DiGraph[str] = networkx.DiGraph(name=table.name, release=table.release(release).name)
    for state in table.states_in(release):
        code = state.code_in(table.release(release))
        made.add_node(state.name, code=code, meaning=state.meaning, seeded=seeds.get(state.name, ""))
    for move in table.moves(release):
        made.add_edge(move.source, move.target, line=move.line, level=move.level, silent_when=move.silent_when)
    return made


@dataclass(frozen=True)
class Facts:
    """The facts that the shape of a machine implies. States are in the order of the table."""

    machine: str
    release: str
    reachable: tuple[str, ...]
    """The states that an entity not met yet can enter."""
    unreachable: tuple[str, ...]
    """The other states."""
    distance: Mapping[str, int]
    """State -> the fewest moves to it."""
    dead_ends: tuple[str, ...]
    """The states without a move to another state."""
    components: tuple[tuple[str, ...], ...]
    """The largest sets of states, of two or more, in which each leads to each other."""
    cycles: tuple[tuple[str, ...], ...]
    """The ways round that meet no state twice."""
    self_loops: tuple[str, ...]
    """The states that may be entered from themselves."""
    one_way: tuple[tuple[str, str], ...]
    """The moves that no later moves can undo."""


def facts(name: str, release: Release | str | None = None) -> Facts:
    """Reachability, dead ends and cycles of a machine in a release."""
    import networkx

    table = machine(name)
    moves = graph(name, release)
    order = {state: index for index, state in enumerate(moves.nodes)}
    distance = networkx.single_source_shortest_path_length(moves, table.unknown_is)
    parts = [sorted(part, key=order.__getitem__) for part in networkx.strongly_connected_components(moves)]
    component = {state: index for index, part in enumerate(parts) for state in part}
    rounds = [_from_first(cycle, order) for cycle in networkx.simple_cycles(moves) if len(cycle) > 1]
    return Facts(
        machine=table.name,
        release=table.release(release).name,
        reachable=tuple(state for state in order if state in distance),
        unreachable=tuple(state for state in order if state not in distance),
        distance={state: distance[state] for state in order if state in distance},
        dead_ends=tuple(state for state in order if not set(moves.successors(state)) - {state}),
        components=tuple(sorted((tuple(part) for part in parts if len(part) > 1), key=lambda part: order[part[0]])),
        cycles=tuple(sorted(rounds, key=lambda cycle: (len(cycle), [order[state] for state in cycle]))),
        self_loops=tuple(state for state in order if moves.has_edge(state, state)),
        one_way=tuple((source, target) for source, target in moves.edges if component[source] != component[target]),
    )


def _from_first(cycle: Iterable[str], order: Mapping[str, int]) -> tuple[str, ...]:
    """A cycle, written from its first state of the table on."""
    states = list(cycle)
    start = states.index(min(states, key=order.__getitem__))
    return tuple(states[start:] + states[:start])
