"""A broker is fenced or unregistered and stays in an ISR.

Why it matters
    The controller takes a broker out of every ISR before it fences it. Where it stays, acknowledged records wait for a
    broker that is not there, and it may be elected cleanly later though it lacks them.

How it is seen
    After the record that fences or unregisters a broker: it is in no ISR, or the last member of one that has no leader
    (which stays where eligible leader replicas are off).

Releases
    All with KRaft. Known: KAFKA-12733, a late AlterPartition adds it again; guarded from 3.3 on.
"""

from __future__ import annotations

from ...sources.metadata.columns import still_in
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids

RULE = Rule(
    code="KR513",
    name="fenced-broker-in-isr",
    observation="metadata_fencings",
    kind="broker",
    verdict=broken_unless(still_in.is_empty()),
    message=lambda row: f"broker {row['broker']} is fenced or unregistered and stays in an ISR",
    expected=lambda row: "a broker that is in no ISR, but as the last member where nobody leads",
    got=lambda row: f"in the ISR of {ids(row['still_in'][:8])}{' and more' * (len(row['still_in']) > 8)}",
    issues=("KAFKA-12733",),
    remedy=PARTITION_STATE,
)
