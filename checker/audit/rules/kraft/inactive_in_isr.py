"""A replica enters the ISR while its broker is fenced, in controlled shutdown, or not registered.

Why it matters
    Acknowledged records need every member of the ISR. A broker that is about to stop, or is believed dead, enters it
    and leaves again; if it is the last member, the partition goes offline with it.

How it is seen
    New members of the ISR are looked up among the registrations at that record. Where a reassignment is cancelled and
    only replicas that it added are in the ISR, the first remaining replica enters, alive or not: KR551 reports that.
    KR556 covers a new partition.

Releases
    3.3 and later (KIP-841); in earlier releases, fenced replicas may join. Nothing is reported where the log may be of
    an earlier release.
"""

from __future__ import annotations

from .....model.expr import both, either
from .....model.kraft.views import JOINS_ACTIVE, REVERTED_UNCLEANLY
from ...fields import releases
from ...observe.compared import was
from ...sources.metadata.columns import isr, leader
from ..conditions import in_releases, step
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids, where

_surely_since = releases.subset_of(in_releases(">=3.3"))

RULE = Rule(
    code="KR510",
    name="inactive-replica-joins-isr",
    observation="metadata_partitions",
    releases=">=3.3",
    # KR507 and KR524 report a replica that is elected alone.
    applies=both(_surely_since, ~both(isr.eq(leader.set()), leader.ne(was(leader)))),
    verdict=broken_unless(either(step(JOINS_ACTIVE.condition), step(REVERTED_UNCLEANLY))),
    message=lambda row: f"the ISR of {where(row)} gains a broker that is not active",
    expected=lambda row: "new members that are registered, unfenced and not in controlled shutdown",
    got=lambda row: f"ISR {ids(row['before_isr'])} to {ids(row['isr'])}; not active: {ids(row['inactive'])}",
    issues=("KIP-841", "KAFKA-13916"),
    remedy=PARTITION_STATE,
)
