"""A leader changes its ISR starting from a different set than the one it has.

Why it matters
    A leader decides by its ISR which records are committed. If it starts from another set, it counts replicas that it
    has not heard from, or leaves out some that it must wait for.

How it is seen
    In the lines of one broker process: a line that shrinks or expands an ISR prints the set before. It is the set that
    the broker adopted, or wrote last. The line is printed before the write: if that fails, the ISR stays, and the next
    line has the old set again. The finding is illegal if the change is written in the version just after the one that
    the broker knew; otherwise the line of a change in between may be missing.

Releases
    All, but 2.8 and later print no line for an expansion. Up to 2.5 the log must contain requests, which are logged at
    TRACE. In 2.7 and 2.8 an answer from the controller can meet a newer request (KAFKA-12686).
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import gap, old_isr, takes_shown
from ...lines import ISR_CHANGES, is_line
from ...observe.broker.isr import follows_known
from ...observe.broker.taken import isr_known_in, known_epoch, known_isr, known_old_isr
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where

RULE = Rule(
    code="KR604",
    name="isr-change-from-another",
    observation="isr_by_isr",
    kind="replica",
    compares=True,
    applies=takes_shown & is_line(ISR_CHANGES) & isr_known_in.eq(known_epoch),
    verdict=illegal_unless(old_isr.eq(known_isr) | old_isr.eq(known_old_isr), in_doubt=either(gap, ~follows_known)),
    message=lambda row: (
        f"{where(row)} changes the ISR from {ids(row['old_isr'])} to {ids(row['isr'])}; it had {ids(row['known_isr'])}"
    ),
    expected=lambda row: f"a change from {ids(row['known_isr'])}",
    got=lambda row: f"a change from {ids(row['old_isr'])}",
    issues=("KAFKA-12686",),
    bug="KAFKA-12686",
    remedy=until_copies_agree(KEEP_LOGS),
)
