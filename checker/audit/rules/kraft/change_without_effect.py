"""A record changes a partition to what it is already.

Why it matters
    The controller writes a change only where something differs. A record that changes nothing is one that was written
    twice, or one whose content is not what the controller meant: what it should have changed is not in the log.

How it is seen
    In the state before and after each record: leader, ISR, replicas, those that are added and removed, ELR, last known
    leader, recovery state and directories are what they were, each list in its order, and no leader is named, which
    would raise the leader epoch. PartitionChangeBuilder sets a field only where it differs, and writes no record of no
    field (changeRecordIsNoOp). A release that this program does not know may change what it does not know: so it is
    suspicious. Where eligible leader replicas are on, a controller may write one change twice in a batch: as a broker
    registers anew it looks at all partitions of its ISRs, then at those of its ELRs, each time by the state before the
    batch (ReplicationControlManager.handleBrokerShutdown; seen in 4.1.0).

Releases
    All with KRaft: every change of a partition is made by PartitionChangeBuilder, since 3.0.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...sources.metadata.columns import again, created, elr_on, named, unchanged
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._remedies import PARTITION_STATE
from ._words import ids, where

RULE = Rule(
    code="KR527",
    name="change-without-effect",
    observation="metadata_partitions",
    compares=True,
    applies=both(~created, ~named),
    verdict=suspicious_unless(either(~unchanged, both(elr_on, again))),
    message=lambda row: f"a record raises the partition epoch of {where(row)} to {row['partition_epoch']} and no more",
    expected=lambda row: "a change of the leader, of the ISR, of the replicas or of what else a partition has",
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}, replicas {ids(row['replicas'])}, as before",
    issues=("KIP-631",),
    remedy=PARTITION_STATE,
)
