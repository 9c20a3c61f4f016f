"""A record changes a partition, and the partition is as before.

Why it matters
    Controllers do not write such a record: it was written twice, or the record that it undoes is lost, or another
    program wrote it. Each raises the partition epoch, so an ISR change that a leader is about to ask for is refused.

How it is seen
    A PartitionChange record after which leader, leader epoch, ISR, replicas, directories and all other fields are what
    they were, in the same order; only the partition epoch is another. (One that names the same leader again raises the
    leader epoch: see KR515.) It is suspicious where the change before it stands in the same batch: a controller that is
    asked twice in one request makes both records of the state before the first.

Releases
    All with KRaft: PartitionChangeBuilder.build, which makes every such record, gives none where
    PartitionChangeBuilder.changeRecordIsNoOp, and sets only fields that differ.
"""

from __future__ import annotations

from .....model.expr import both, ite
from ...observe.kraft.columns import committed, same_batch, unchanged
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._remedies import PARTITION_STATE
from ._words import ids, where

RULE = Rule(
    code="KR553",
    name="change-of-nothing",
    observation="metadata_partitions",
    compares=True,
    verdict=ite(unchanged, ite(both(committed, ~same_batch), ILLEGAL, SUSPICIOUS), HELD),
    message=lambda row: f"a {row['record']} of {where(row)} changes nothing but the partition epoch",
    expected=lambda row: "a change of the leader, the ISR, the replicas or another field, or no record",
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}, as since offset {row['before_offset']}",
    remedy=PARTITION_STATE,
)
