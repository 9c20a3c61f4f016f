"""The two rules on moves, declared once for both machines; the module of each rule has its page."""

from __future__ import annotations

from .....model.expr import Expr, ite
from ...fields import ANYTHING, before, from_state, gap, releases, seen_level, to_state
from ...observe.controller.moves import made
from ...table.protocol import Row
from ..moves import may_precede, may_precede_with_gap, may_precede_with_one_more, valid_in
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..shown_by import NOTHING_LED_THERE
from ..verdicts import ILLEGAL, SUSPICIOUS, UNKNOWN, allowed_in
from ._words import moved, not_allowed, possible_states, wanted_sources

_REMEDY = Remedy(
    workaround=f"{MOVE_CONTROLLER} Find out who built the broker that wrote the line: released Kafka cannot have"
    " done this.",
    verify=STATE,
    look_for="a leader that is live and in isr, or no such znode if the topic was deleted",
)


def illegal_transition(machine: str, code: str, issues: tuple[str, ...] = ()) -> Rule:
    """Return a rule: each move that is made is in the table of every release that the line may come from."""
    return Rule(
        code=code,
        name=f"illegal-{machine}-transition",
        observation=f"{machine}_moves",
        kind=machine,
        releases="0.8.0-3.9",
        applies=made,
        verdict=allowed_in(valid_in(machine)[from_state(machine)][to_state(machine)], releases),
        message=lambda row: f"{moved(machine, row)}, which {not_allowed(row)}",
        expected=lambda row: wanted_sources(machine, row),
        got=lambda row: f"from {row['from_state']}",
        issues=issues,
        remedy=_REMEDY,
    )


def impossible_state(machine: str, code: str) -> Rule:
    """Return a rule: hidden moves can have led to a line's from-state since the line before."""
    return Rule(
        code=code,
        shows=(NOTHING_LED_THERE,),
        name=f"impossible-{machine}-state",
        observation=f"{machine}_moves",
        kind=machine,
        releases="0.8.0-3.9",
        applies=before(machine).ne(ANYTHING),
        verdict=_continued(machine),
        message=lambda row: f"{moved(machine, row)}, but it was {row['before']} before{_explained(row)}",
        expected=lambda row: possible_states(machine, row),
        got=lambda row: f"from {row['from_state']}",
        remedy=_REMEDY,
    )


def _continued(name: str) -> Expr:
    """Return the verdict on a from-state after the state before: hidden moves may lie between, and lost lines in a gap.

    A single line may be missing from any log, and nothing else shows that it is.
    """
    now, past = from_state(name), before(name)
    one_line = releases.intersects(may_precede_with_one_more(name)[seen_level][past][now])
    several_lines = releases.intersects(may_precede_with_gap(name)[past][now])
    lost = ite(gap & several_lines, UNKNOWN, ite(one_line, SUSPICIOUS, ILLEGAL))
    return allowed_in(may_precede(name)[seen_level][past][now], releases, otherwise=lost)


def _explained(row: Row) -> str:
    return "; a missing line would explain it" if row["verdict"] == "suspicious" else ""
