"""A partition is RECOVERING although its ISR has several members, or no unclean election caused it.

Why it matters
    RECOVERING says that the leader was elected uncleanly and has not yet repaired its log: until then no other replica
    may be in sync with it. Tools show this mark after a loss of records.

How it is seen
    In the state after each record. A partition becomes RECOVERING only in a record that names a leader, which is then
    alone in the ISR.

Releases
    3.2 and later, from metadata.version 3 (3.2-IV0) on.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...observe.compared import was
from ...sources.metadata.columns import created, isr, isr_size, leader, named, recovering
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids, where

_became = recovering & ~was(recovering)

RULE = Rule(
    code="KR509",
    name="recovering-with-others",
    observation="metadata_partitions",
    applies=~created,
    verdict=broken_unless(
        either(~recovering, isr_size <= 1) & either(~_became, both(named, isr.eq(leader.set()), leader.is_some()))
    ),
    message=lambda row: f"{where(row)} is RECOVERING, but its ISR is {ids(row['isr'])}",
    expected=lambda row: "the leader alone in the ISR, elected uncleanly by the record that marks it",
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}",
    issues=("KIP-704",),
    remedy=PARTITION_STATE,
)
