"""The leader of a partition is not in its ISR.

Why it matters
    The ISR is the set of replicas that hold every committed record. A leader outside it serves a log that may lack
    committed records: readers lose records that were acknowledged.

Releases
    All.
"""

from __future__ import annotations

from .....model.views import LEADER_IN_ISR
from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where

RULE = Rule(
    code="KR201",
    name="leader-not-in-isr",
    observation="states",
    verdict=illegal_unless(LEADER_IN_ISR.condition),
    message=lambda row: f"the leader of {where(row)} is broker {row['leader']}, which is not in its ISR",
    expected=lambda row: f"a leader in {ids(row['isr'])}, or none",
    got=lambda row: f"leader {row['leader']}",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="a leader that is a member of isr",
    ),
)
