"""Moves of Kafka's state machines that a log may hide, made from the tables of specs/machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from ..specs.machines import Machine, machine
from ..specs.releases import RELEASES, Release

Closure = Mapping[str, frozenset[str]]
_OF_DELETION = ("ReplicaDeletion", "NonExistent")
"""The prefixes of the states of a deletion."""


@lru_cache(maxsize=256)
def closure(name: str, release: Release | str, level: str | None) -> Closure:
    """For each state of a release, the states in which the entity may be after moves that the log need not show.

    `level` is the lowest level that the log prints, "TRACE" or "INFO": moves that such a log certainly shows are no
    hidden steps. None means that any line may be missing. A state is always in its own set (no step at all).
    """
    table = machine(name)
    hidden = [(m.source, m.target) for m in table.moves(release) if level is None or not m.shown_at(level)]
    return {state.name: _reach(state.name, hidden) for state in table.states_in(release)}


@lru_cache(maxsize=256)
def closure_with_one_more(name: str, release: Release | str, level: str | None) -> Closure:
    """Return the same, if one further move may lie between whose line is missing though the log must show it.

    A deletion is one in this: its moves follow each other, so that one gap hides several.
    """
    table = machine(name)
    moves = table.moves(release)
    hidden = [(m.source, m.target) for m in moves if level is None or not m.shown_at(level)]
    hidden += [(m.source, m.target) for m in moves if m.target.startswith(_OF_DELETION)]
    reached = {state.name: _reach(state.name, hidden) for state in table.states_in(release)}
    return {state: own.union(*(reached[m.target] for m in moves if m.source in own)) for state, own in reached.items()}


def _reach(start: str, moves: Iterable[tuple[str, str]]) -> frozenset[str]:
    steps = list(moves)
    reached = {start}
    frontier = {start}
    while frontier:
        frontier = {target for source, target in steps if source in frontier} - reached
        reached |= frontier
    return frozenset(reached)


@lru_cache(maxsize=64)
def hidden_in(name: str, level: str | None, *, one_more: bool = False) -> Mapping[tuple[str, str], int]:
    """For each pair of states (before, after) the mask of releases in which hidden moves lead from one to the other.

    The pairs that no release allows are left out. `level` as for `closure`. This is `closure` of all releases at once:
    a line that prints `after` as its from-state contradicts an entity in `before`, for every release of `mask`, if
    `hidden_in(...).get((before, after), 0) & mask == 0`. With `one_more` it is `closure_with_one_more`.
    """
    table = machine(name)
    between = closure_with_one_more if one_more else closure
    masks: dict[tuple[str, str], int] = {}
    for release in RELEASES:
        if release.mask & table.releases:
            for before, afters in between(name, release, level).items():
                for after in afters:
                    masks[before, after] = masks.get((before, after), 0) | release.mask
    return masks


def bits(name: str, states: Iterable[str]) -> int:
    """A set of states as an int, the bit of a state being its byte code: small enough for a Spark column."""
    table: Machine = machine(name)
    return sum(table.state(state).bit for state in set(states))
