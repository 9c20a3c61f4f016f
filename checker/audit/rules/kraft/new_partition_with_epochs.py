"""A partition is created with a leader epoch or a partition epoch that is not 0.

Why it matters
    Epochs count the changes of a partition since its creation. Replicas and clients fence each other by them.

How it is seen
    In a Partition record of a new partition, outside snapshots. During a migration from ZooKeeper, partitions keep the
    epochs that they had there.

Releases
    All with KRaft.
"""

from __future__ import annotations

from ...sources.metadata.columns import created, leader_epoch, migrating, partition_epoch
from ..rule import Rule
from ._remedies import TOPIC_ANEW
from ._words import broken_unless, where

RULE = Rule(
    code="KR503",
    name="new-partition-with-epochs",
    observation="metadata_partitions",
    applies=created & ~migrating,
    verdict=broken_unless(leader_epoch.eq(0) & partition_epoch.eq(0)),
    message=lambda row: f"{where(row)} is created with epochs other than 0",
    expected=lambda row: "leader epoch 0, partition epoch 0",
    got=lambda row: f"leader epoch {row['leader_epoch']}, partition epoch {row['partition_epoch']}",
    remedy=TOPIC_ANEW,
)
