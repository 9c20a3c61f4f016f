"""A reassignment ends while a replica of its target is not in the ISR.

Why it matters
    The replicas that are removed delete their data. If some of those that stay are not in sync then, fewer copies of
    acknowledged records are left than the topic's replication factor promises.

How it is seen
    A record empties the lists of a reassignment that goes on, and leaves the replicas without those that were to be
    removed: then all replicas are in its ISR. (A cancelled reassignment leaves them without those that were added.)

Releases
    Up to 3.7 only the added replicas need be in sync (KAFKA-15665).
"""

from __future__ import annotations

from .....model.kraft.views import REASSIGNED_IN_SYNC, REASSIGNMENT_COMPLETES
from ..conditions import step
from ..rule import Rule
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

RULE = Rule(
    code="KR525",
    name="reassignment-ends-too-early",
    observation="metadata_partitions",
    applies=step(REASSIGNMENT_COMPLETES),
    verdict=broken_unless(step(REASSIGNED_IN_SYNC.condition)),
    message=lambda row: f"the reassignment of {where(row)} ends though not all its replicas are in sync",
    expected=lambda row: f"an ISR with all of {ids(row['replicas'])}",
    got=lambda row: f"ISR {ids(row['isr'])}",
    issues=("KAFKA-15665",),
    bug="KAFKA-15665",
    remedy=REASSIGNMENT,
)
