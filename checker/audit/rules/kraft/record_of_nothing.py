"""A record is about a topic or a partition that does not exist.

Why it matters
    Controllers and brokers that read the record stop, because it cannot be applied. A cluster with one in its log does
    not start again.

How it is seen
    A Partition record without its topic, a change of a partition that was never created or is deleted, or a topic that
    is removed twice. The log must be complete from its beginning or from a snapshot.

Releases
    All with KRaft.
"""

from __future__ import annotations

from ...sources.metadata.columns import known
from ..rule import Rule
from ._remedies import COPY_OF_METADATA
from ._words import broken_unless, where

RULE = Rule(
    code="KR523",
    name="record-of-nothing",
    observation="metadata_references",
    verdict=broken_unless(known),
    message=lambda row: f"a {row['record']} is about {where(row)}, which does not exist",
    expected=lambda row: "a topic or a partition that was created and not removed",
    got=lambda row: f"{row['record']} at offset {row['offset']}",
    remedy=COPY_OF_METADATA,
)
