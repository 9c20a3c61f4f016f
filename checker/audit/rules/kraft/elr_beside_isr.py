"""A partition's eligible leader replicas (ELR) contradict its ISR.

Why it matters
    A member of the ELR has every record up to the high watermark and may be elected when the ISR is empty. A wrong
    member is elected cleanly, and acknowledged records are lost without a sign.

How it is seen
    After a change of the partition no replica is in both. The ELR is empty as soon as the ISR has min.insync.replicas
    members (but never more than partition 0 has replicas, or had before the batch: one request may change several). A
    new member of the ELR was in the ELR or the ISR before, or before the batch. A record that elects a member of the
    ELR leaves the others in it: the controller looks at the ISR, which was empty, before it elects
    (PartitionChangeBuilder.build; seen in 4.1.0).

Releases
    4.0 and later, where the feature eligible.leader.replicas.version is on.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...observe.compared import was
from ...sources.metadata.columns import again, elr, elr_on, isr, isr_size, leader, min_isr, named
from ..rule import Rule
from ._remedies import RECORDS_MAY_BE_LOST
from ._words import broken_unless, ids, where

_full = isr_size >= min_isr
_of_elr = both(named, isr.eq(leader.set()), was(elr).intersects(leader.set()))

RULE = Rule(
    code="KR506",
    name="elr-beside-isr",
    observation="metadata_partitions",
    applies=elr_on,
    verdict=broken_unless(
        ~elr.intersects(isr)
        & either(~_full, elr.is_empty(), _of_elr)
        & either(again, elr.subset_of(was(elr).union(was(isr))))
    ),
    message=lambda row: f"the eligible leader replicas of {where(row)} contradict its ISR",
    expected=lambda row: (
        f"none of ISR {ids(row['isr'])}, nobody new, and nobody at all once the ISR has {row['min_isr']} members"
    ),
    got=lambda row: f"ELR {ids(row['elr'])}",
    issues=("KIP-966",),
    remedy=RECORDS_MAY_BE_LOST,
)
