"""The two claims about moves, stated once for both machines; each rule's module has its page."""

from __future__ import annotations

from ...observe.tracks import made
from ...rule import Rule, allowed_in
from ...vocabulary import ANYTHING, before, from_state, releases, to_state, valid_in
from ._words import continued, moved, not_allowed, possible_states, wanted_sources


def illegal_transition(machine: str, code: str, issues: tuple[str, ...] = ()) -> Rule:
    """A move that was made is in the table of every release that it may be."""
    return Rule(
        code=code,
        name=f"illegal-{machine}-transition",
        track=f"{machine}_moves",
        kind=machine,
        releases="0.8.0-3.9",
        applies=made,
        verdict=allowed_in(valid_in(machine)[from_state(machine)][to_state(machine)], releases),
        message=lambda row: f"{moved(machine, row)}, which {not_allowed(row)}",
        expected=lambda row: wanted_sources(machine, row),
        got=lambda row: f"from {row['from_state']}",
        issues=issues,
    )


def impossible_state(machine: str, code: str) -> Rule:
    """A line's from-state is one that hidden moves can have led to since the line before."""
    return Rule(
        code=code,
        name=f"impossible-{machine}-state",
        track=f"{machine}_moves",
        kind=machine,
        releases="0.8.0-3.9",
        applies=before(machine).ne(ANYTHING),
        verdict=continued(machine),
        message=lambda row: f"{moved(machine, row)}, but it was {row['before']} before",
        expected=lambda row: possible_states(machine, row),
        got=lambda row: f"from {row['from_state']}",
    )
