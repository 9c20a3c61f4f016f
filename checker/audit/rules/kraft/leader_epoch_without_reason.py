"""The leader epoch of a partition rises though the leader stays and nothing requires it.

Why it matters
    A new leader epoch makes every replica and client of the partition stop and check again: fetches fail, producers
    wait. From 3.6 on it is raised only where an old epoch must be fenced.

How it is seen
    A record names the same leader again without a reason. A reason is that a replica left the replicas; or, below
    metadata.version 12 (3.6-IV0), up to release 3.5, or during a migration from ZooKeeper, that the ISR shrank, or that
    nobody led before and after: then the last member of the ISR was to leave it, and stays.

Releases
    All with KRaft (KAFKA-15021, KAFKA-15109).
"""

from __future__ import annotations

from .....model.expr import both, either
from .....specs.metadata.levels import NO_EPOCH_ON_SHRINK
from ...fields import releases
from ...observe.compared import was
from ...sources.metadata.columns import created, isr, leader, level, migrating, named, replicas
from ..conditions import in_releases
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids, where

_before_36 = either(level < NO_EPOCH_ON_SHRINK, releases.intersects(in_releases("<=3.5")))
_shrank = ~was(isr).subset_of(isr)
_replica_left = ~was(replicas).subset_of(replicas)

RULE = Rule(
    code="KR515",
    name="leader-epoch-without-reason",
    observation="metadata_partitions",
    applies=both(named, ~created, leader.eq(was(leader))),
    verdict=broken_unless(
        either(_replica_left, (_shrank | leader.is_none()) & (_before_36 | migrating)),
    ),
    message=lambda row: (
        f"the leader epoch of {where(row)} rises to {row['leader_epoch']} though leader {row['leader']} stays"
    ),
    expected=lambda row: "a new leader, a replica that left, or a level below 3.6-IV0 and an ISR that shrank",
    got=lambda row: f"ISR {ids(row['before_isr'])} to {ids(row['isr'])}, replicas {ids(row['replicas'])}",
    issues=("KAFKA-15021", "KAFKA-15109"),
    remedy=PARTITION_STATE,
)
