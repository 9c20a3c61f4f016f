"""A partition is created with a leader, or an ISR, that is fenced, in controlled shutdown, or not registered.

Why it matters
    Its first leader is not there: nobody can write to it. A member of the ISR that is not there holds back every record
    that waits for all of them, until it is fenced once more.

How it is seen
    The leader and the ISR of a Partition record of a partition that is new are looked up among the registrations at
    that record. The controller takes the replicas that are active for its ISR, the first of them for its leader, and
    refuses if there is none. Partitions that are copied from ZooKeeper come as they are.

Releases
    All with KRaft; of the ISR since 3.3 (KIP-841): before, fenced replicas may be in it.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...fields import releases
from ...sources.metadata.columns import created, inactive, isr, leader, migrating
from ..conditions import in_releases
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids, where

_isr_active = either(~isr.intersects(inactive), ~releases.subset_of(in_releases(">=3.3")))

RULE = Rule(
    code="KR556",
    name="created-with-inactive-replicas",
    observation="metadata_partitions",
    applies=both(created, ~migrating),
    verdict=broken_unless(both(~leader.set().intersects(inactive), _isr_active)),
    message=lambda row: f"{where(row)} is created with leader {row['leader']} and ISR {ids(row['isr'])}",
    expected=lambda row: "a leader and an ISR that are registered, unfenced and not in controlled shutdown",
    got=lambda row: f"not active: {ids(row['inactive'])}",
    issues=("KIP-841", "KAFKA-13916"),
    remedy=PARTITION_STATE,
)
