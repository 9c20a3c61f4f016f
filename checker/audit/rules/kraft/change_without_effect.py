"""A record changes a partition to the state that it already has.

Why it matters
    The controller writes a change only where something differs. A record that changes nothing was written twice, or its
    content is not what the controller intended: the intended change is not in the log.

How it is seen
    In the state before and after each record: leader, ISR, replicas, replicas being added and removed, ELR, last known
    leader, recovery state and directories are unchanged, each list in its order, and no leader is named, which would
    raise the leader epoch. PartitionChangeBuilder sets a field only where it differs, and writes no record without
    fields (changeRecordIsNoOp). A release that this program does not know may change fields that it does not know, so
    the finding is suspicious. Where eligible leader replicas are on, a controller may write one change twice in a
    batch: when a broker registers again, it checks all partitions of its ISRs, then those of its ELRs, each time by the
    state before the batch (ReplicationControlManager.handleBrokerShutdown; seen in 4.1.0).

What would make it certain
    A record that certainly has no other field: one of a known version without unknown tagged fields, committed, and
    written by a controller of a known release. Registrations of controllers (since 3.7) and the line "Kafka version:
    ..." in the active controller's server.log name the release.

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
    message=lambda row: (
        f"a record raises the partition epoch of {where(row)} to {row['partition_epoch']} and changes nothing else"
    ),
    expected=lambda row: "a change of the leader, the ISR, the replicas or another field of the partition",
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}, replicas {ids(row['replicas'])}, as before",
    issues=("KIP-631",),
    remedy=PARTITION_STATE,
)
