"""Kafka's tables of moves as constants of the model's language."""

from __future__ import annotations

from functools import cache

from ....model.expr import Expr, const
from ....model.machines import hidden_in
from ....model.sorts import MapOf, SetOf
from ....specs.machines import LEVELS, machine
from ..fields import ANYTHING, LEVEL, SEEDED, states
from ..table.encoding import RELEASE, release_set


@cache
def valid_in(name: str) -> Expr:
    """Return the map from -> to -> the releases in which that move is valid."""
    table, sort = machine(name), states(name)
    known = {state.name for state in table.states}
    return const(
        {
            a: {b: release_set(table.valid_in(a, b) if a in known and b in known else 0) for b in sort.values}
            for a in sort.values
        },
        MapOf(sort, MapOf(sort, SetOf(RELEASE))),
    )


@cache
def may_precede(name: str) -> Expr:
    """Return the map level -> before -> from -> the releases in which moves hidden by the level lead from one to the
    other.
    """
    return const(
        {at: _reached(name, at) for at in LEVELS},
        MapOf(LEVEL, MapOf(states(name), MapOf(states(name), SetOf(RELEASE)))),
    )


@cache
def may_precede_with_one_more(name: str) -> Expr:
    """Return the same map as `may_precede`, for a log that may lack one line that the level shows."""
    return const(
        {at: _reached(name, at, one_more=True) for at in LEVELS},
        MapOf(LEVEL, MapOf(states(name), MapOf(states(name), SetOf(RELEASE)))),
    )


@cache
def may_precede_with_gap(name: str) -> Expr:
    """Return the map before -> from -> the releases in which `from` can be the current state, if any lines may be
    missing.
    """
    return const(_reached(name, None), MapOf(states(name), MapOf(states(name), SetOf(RELEASE))))


def _reached(name: str, level: str | None, *, one_more: bool = False) -> dict[str, dict[str, frozenset[str]]]:
    table, names = machine(name), states(name).values
    masks = hidden_in(name, level, one_more=one_more)
    # An entity that the start-up did not seed is new to the controller: both are possible before its first line.
    unseeded = {table.unknown_is: table.releases}
    seeds = unseeded | {seed.state: seed.releases for seed in table.seeds}
    everything = {state.name: state.releases for state in table.states}
    starts = {state: {state: table.releases} for state in everything} | {SEEDED: seeds, ANYTHING: everything}
    reached = {before: dict.fromkeys(names, 0) for before in names}
    for before, possible in starts.items():
        for state, since in possible.items():
            for now in everything:
                reached[before][now] |= masks.get((state, now), 0) & since
    return {before: {now: release_set(mask) for now, mask in row.items()} for before, row in reached.items()}
