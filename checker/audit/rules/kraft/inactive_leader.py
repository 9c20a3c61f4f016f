"""A broker that is fenced, in controlled shutdown, or not registered becomes leader.

Why it matters
    The controller believes a broker to be dead, or lets it stop, and yet makes it leader: the partition is offline
    though its metadata names a leader.

How it is seen
    The broker that a record makes leader is looked up among the registrations at that record; changes earlier in the
    same batch count. KR524 covers a last known leader, KR556 a new partition.

Releases
    All with KRaft. Up to 3.2 the log does not show which brokers are in controlled shutdown.
"""

from __future__ import annotations

from .....model.expr import both
from .....model.kraft.views import ELECTED_ACTIVE
from ...observe.compared import was
from ...sources.metadata.columns import created, elr, isr, last_known, leader, named, recovering
from ..conditions import step
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids, where

_last_known = both(recovering, was(isr).is_empty(), elr.is_empty(), leader.set().eq(was(last_known)))

RULE = Rule(
    code="KR507",
    name="inactive-leader-elected",
    observation="metadata_partitions",
    applies=both(named, leader.is_some(), ~created, leader.ne(was(leader)), ~_last_known),
    verdict=broken_unless(step(ELECTED_ACTIVE.condition)),
    message=lambda row: f"{where(row)} gets leader {row['leader']}, which is not active",
    expected=lambda row: "a leader that is registered, unfenced and not in controlled shutdown, or none",
    got=lambda row: f"leader {row['leader']}; not active: {ids(row['inactive'])}",
    issues=("KAFKA-13916",),
    remedy=PARTITION_STATE,
)
