"""A topic is created with an id or a name that is in use, or with gaps in its partition numbers.

Why it matters
    The topic id distinguishes a topic from an earlier one of the same name: if an id is used again, brokers take old
    data for new. Partitions are numbered from 0; clients depend on it.

How it is seen
    Topic records are compared with all ids that the log had, and with the names in use at that record; partitions are
    checked at the end of the batch that creates some.

Releases
    All with KRaft. Known: KAFKA-14129 (names, fixed in 3.3.0).
"""

from __future__ import annotations

from ...sources.metadata.columns import contiguous, free, fresh
from ..rule import Rule
from ._remedies import TOPIC_ANEW
from ._words import broken_unless

RULE = Rule(
    code="KR516",
    name="topic-created-wrongly",
    observation="metadata_topics",
    kind="topic",
    verdict=broken_unless(fresh & free & contiguous),
    message=lambda row: f"the topic {row['topic']} is created wrongly",
    expected=lambda row: "an id that was never used, a name that is free, partitions from 0 on",
    got=lambda row: (
        "an id that was used" if not row["fresh"] else "a name that is in use" if not row["free"] else "a gap"
    ),
    issues=("KAFKA-14129",),
    remedy=TOPIC_ANEW,
)
