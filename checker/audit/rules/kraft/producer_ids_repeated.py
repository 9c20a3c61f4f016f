"""The controller gives out a block of producer ids that is not above the previous one.

Why it matters
    Two idempotent producers get the same id: brokers treat records of one as repeats of the other, and drop them.

How it is seen
    In consecutive ProducerIds records: the next id strictly grows.

Releases
    All with KRaft.
"""

from __future__ import annotations

from ...observe.compared import was
from ...sources.metadata.columns import next_id
from ..rule import Rule
from ._remedies import QUORUM_STATE
from ._words import broken_unless

RULE = Rule(
    code="KR520",
    name="producer-ids-repeated",
    observation="metadata_producer_ids",
    kind="quorum",
    verdict=broken_unless(was(next_id) < next_id),
    message=lambda row: "a block of producer ids is not above the previous one",
    expected=lambda row: f"a next id above {row['before_next']}",
    got=lambda row: f"next id {row['next']}",
    remedy=QUORUM_STATE,
)
