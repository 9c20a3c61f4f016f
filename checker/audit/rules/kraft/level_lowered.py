"""metadata.version falls across a level that changes the content of records.

Why it matters
    Records written above that level may have versions that brokers cannot read below it, or content that they then
    ignore: directories, eligible leader replicas, cordoned directories. Kafka refuses such a downgrade, even an
    "unsafe" one.

How it is seen
    A FeatureLevel record sets metadata.version below the log's current level, and one of the levels in between, or the
    one that it falls from, is marked as a change of metadata (didMetadataChange in MetadataVersion). Falling across
    levels without such a change is legal, and no finding.

Releases
    3.3 and later, which write FeatureLevel records. Source: FeatureControlManager.updateMetadataVersion.
"""

from __future__ import annotations

from .....specs.metadata.levels import level_name
from ...sources.metadata.columns import crossed
from ..rule import Rule
from ._remedies import LEVEL
from ._words import broken_unless, ids

RULE = Rule(
    code="KR528",
    name="metadata-version-lowered",
    observation="metadata_levels",
    kind="quorum",
    compares=True,
    verdict=broken_unless(crossed.is_empty()),
    message=lambda row: f"metadata.version falls from {level_name(row['level'])} to {level_name(row['to_level'])}",
    expected=lambda row: "no level between them that changes the content of records",
    got=lambda row: f"levels that change it: {ids(row['crossed'])}",
    issues=("KIP-584", "KAFKA-13896"),
    remedy=LEVEL,
)
