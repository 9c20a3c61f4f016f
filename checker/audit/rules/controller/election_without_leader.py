"""An election ends without a leader.

Why it matters
    The controller writes an election only once it has found a leader; if it finds none, nothing is written and the
    election is logged as failed. An election of nobody takes the partition offline while the controller, and every
    broker that it informs, believes it to be online.

Releases
    1.1 and later, which print the result of an election. Taking a leader out of the ISR (leader -1) prints a different
    line.
"""

from __future__ import annotations

from ...fields import leader
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where

RULE = Rule(
    code="KR209",
    name="election-without-leader",
    observation="elections",
    verdict=illegal_unless(~leader.is_none()),
    message=lambda row: f"{where(row)} became OnlinePartition without a leader",
    expected=lambda row: f"a leader from {ids(row['isr'])}" if row["isr"] else "a leader",
    got=lambda row: f"leader {row['leader']}",
    releases=">=1.1",
    remedy=Remedy(
        workaround=f"Start a broker that is in the ISR. {MOVE_CONTROLLER} The current one believes the partition"
        " to be online.",
        verify=STATE,
        look_for="a leader that is not -1",
    ),
)
