"""A broker is fenced or unregistered and stays in an ISR.

Why it matters
    The controller removes a broker from every ISR before it fences it. Where the broker stays, records wait to be
    acknowledged by a broker that is not there, and it may later be elected cleanly though it lacks them.

How it is seen
    After the record that fences or unregisters a broker: the broker is in no ISR, or it is the last member of one
    without a leader (which stays where eligible leader replicas are off).

Releases
    All with KRaft. Known: KAFKA-12733, a late AlterPartition adds the broker again; prevented from 3.3 on.
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
    expected=lambda row: "a broker that is in no ISR, except as the last member where nobody leads",
    got=lambda row: f"in the ISR of {ids(row['still_in'][:8])}{' and more' * (len(row['still_in']) > 8)}",
    issues=("KAFKA-12733",),
    remedy=PARTITION_STATE,
)
