"""A reassignment ends while a replica of its target is not in the ISR.

Why it matters
    The replicas that are removed delete their data. If some of those that stay are not in sync then, fewer copies of
    acknowledged records are left than the topic's replication factor promises.

How it is seen
    A record empties the lists of a reassignment that goes on, and leaves the replicas without those that were to be
    removed: then all replicas are in its ISR. (A cancelled reassignment leaves them without those that were added.) One
    that adds nobody may end in the record that would begin it: replicas leave, and no list is filled.

Releases
    Up to 3.7 only the added replicas need be in sync (KAFKA-15665).
"""

from __future__ import annotations

from .....model.expr import both, either
from .....model.kraft.views import REASSIGNED_IN_SYNC, REASSIGNMENT_COMPLETES
from ...observe.compared import was
from ...observe.kraft.columns import adding, isr, recovering, removing, replicas
from ..conditions import step
from ..rule import Rule
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

_idle = both(was(adding).is_empty(), was(removing).is_empty(), adding.is_empty(), removing.is_empty())
_at_once = both(_idle, replicas.subset_of(was(replicas)), ~was(replicas).subset_of(replicas))
_in_sync = either(replicas.subset_of(isr), recovering)

RULE = Rule(
    code="KR525",
    name="reassignment-ends-too-early",
    observation="metadata_partitions",
    applies=either(step(REASSIGNMENT_COMPLETES), _at_once),
    verdict=broken_unless(both(step(REASSIGNED_IN_SYNC.condition), either(~_at_once, _in_sync))),
    message=lambda row: f"the reassignment of {where(row)} ends though not all its replicas are in sync",
    expected=lambda row: f"an ISR with all of {ids(row['replicas'])}",
    got=lambda row: f"ISR {ids(row['isr'])}",
    issues=("KAFKA-15665",),
    bug="KAFKA-15665",
    remedy=REASSIGNMENT,
)
