"""A broker's log ends before where it ended, and was not cut.

Why it matters
    A log only grows, but where a follower cuts it to its leader's. Records that are gone without that are lost on this
    replica, whether or not they were committed.

How it is seen
    In all that one broker wrote of one log, from its creation to its deletion: lines with which it begins to lead or
    follow print where the log ends, and so do those with which an ISR shrinks. Only a line that tells of a truncation
    explains a smaller end. Across a restart it is suspicious at most: a machine that lost its power can have lost what
    was not on its disk.

Releases
    All that print offsets: leaders since 0.11, followers since 2.6. server.log must be there, which tells of
    truncations.
"""

from __future__ import annotations

from ...fields import server_log
from ...observe.broker.offsets import end
from ...observe.compared import was
from ..remedy import COPIES, KEEP_LOGS, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR614",
    name="log-end-falls",
    observation="log_ends",
    kind="replica",
    applies=server_log,
    verdict=suspicious_unless(was(end) <= end),
    message=lambda row: f"the log of {where(row)} ends at {row['end']}, after {row['before_end']}, and was not cut",
    expected=lambda row: f"an end of at least {row['before_end']}, or a line that tells of a truncation",
    got=lambda row: f"an end of {row['end']}",
    remedy=Remedy(workaround=KEEP_LOGS, verify=COPIES, look_for="a lag of 0 for every replica"),
)
