"""A fenced broker becomes leader because it was the last known leader.

Why it matters
    Where the ISR and the ELR are empty, the last known leader may be elected without further checks, uncleanly. A
    fenced broker cannot lead: the partition stays offline, and its other replicas are not considered when they come
    back. They truncate to the log of a broker that may have lost its disk.

How it is seen
    The partition had no ISR, and no ELR or one that the record empties; its last known leader becomes leader as
    RECOVERING, and the broker is fenced or gone at that record, typically in the batch in which it registers again.

Releases
    4.0.0 and 4.0.1 with the feature eligible.leader.replicas.version on.
"""

from __future__ import annotations

from .....model.expr import both
from ...observe.compared import was
from ...sources.metadata.columns import elr, inactive, isr, last_known, leader, named, recovering
from ..rule import Rule
from ._remedies import RECORDS_MAY_BE_LOST
from ._words import broken_unless, ids, where

RULE = Rule(
    code="KR524",
    name="fenced-last-known-leader-elected",
    observation="metadata_partitions",
    applies=both(
        both(named, leader.is_some(), leader.ne(was(leader)), recovering),
        both(was(isr).is_empty(), elr.is_empty(), leader.set().eq(was(last_known))),
    ),
    verdict=broken_unless(~leader.set().intersects(inactive)),
    message=lambda row: f"{where(row)} gets its last known leader {row['leader']} back, which is not active",
    expected=lambda row: "a last known leader that is unfenced, or none",
    got=lambda row: f"leader {row['leader']}; not active: {ids(row['inactive'])}",
    issues=("KAFKA-19522", "KIP-966"),
    bug="KAFKA-19522",
    remedy=RECORDS_MAY_BE_LOST,
)
