"""A leader changes its ISR to a set that no such change can produce.

Why it matters
    A shrinking ISR only loses members, and an expanding one gains the one replica whose fetch has caught up. Any other
    set has members that nobody saw in sync.

How it is seen
    On the line itself, which prints the set before and the set after.

Releases
    All, but 2.8 and later print no line for an expansion.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import isr, old_isr
from ...lines import ISR_CHANGES, ISR_SHRINKS, is_line
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where

_shrinks = isr.subset_of(old_isr) & (isr.size() < old_isr.size())
_expands = old_isr.subset_of(isr) & isr.size().eq(old_isr.size() + 1)


def _wanted(row: Row) -> str:
    if row["row"] in ISR_SHRINKS:
        return f"fewer members of {ids(row['old_isr'])}, and no other"
    return f"{ids(row['old_isr'])} and one more"


RULE = Rule(
    code="KR605",
    name="isr-change-unsound",
    observation="isr_lines",
    kind="replica",
    applies=is_line(ISR_CHANGES),
    verdict=illegal_unless(ite(is_line(ISR_SHRINKS), _shrinks, _expands)),
    message=lambda row: (
        f"{where(row)} {'shrinks' if row['row'] in ISR_SHRINKS else 'expands'} the ISR from {ids(row['old_isr'])} to"
        f" {ids(row['isr'])}"
    ),
    expected=_wanted,
    got=lambda row: ids(row["isr"]),
    remedy=until_copies_agree(KEEP_LOGS),
)
