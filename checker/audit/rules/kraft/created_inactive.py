"""A partition is created with a leader or ISR member that is fenced, in controlled shutdown, or not registered.

Why it matters
    The first leader is not there: nobody can write to the partition. An absent member of the ISR holds back every
    record that waits for all of them, until the member is fenced again.

How it is seen
    The leader and the ISR of a new partition's Partition record are looked up among the registrations at that record.
    The controller uses the active replicas as its ISR, the first of them as its leader, and refuses if there is none.
    Partitions that are copied from ZooKeeper may be in any state.

Releases
    All with KRaft; for the ISR since 3.3 (KIP-841): in earlier releases it may contain fenced replicas.
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
