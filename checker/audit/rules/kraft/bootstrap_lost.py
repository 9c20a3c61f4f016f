"""The first broker registers before the log sets metadata.version: the bootstrap records were lost.

Why it matters
    The cluster then runs at level 1 (3.0-IV1), whatever level it was formatted for: without controlled shutdown states,
    directories, and transactions; every shrink of an ISR raises the leader epoch.

How it is seen
    In a log that begins at offset 0, whose first broker supports levels of metadata.version (3.3 and later). A cluster
    that was formatted by an earlier release has no such record either; its first broker supports none. The finding is
    at the log's first data record. The snapshot 0-0.checkpoint has the bootstrap records since 4.4 (KIP-1170; in
    earlier releases, a file bootstrap.checkpoint has them): it shows how a node was formatted, and is not part of the
    log. The first active controller writes the records into the log.

Releases
    3.3 and later. Known: a controller that loses its leadership during its first activation (KAFKA-20839).
"""

from __future__ import annotations

from ...sources.metadata.columns import version_named
from ..rule import Rule
from ._remedies import LEVEL
from ._words import broken_unless

RULE = Rule(
    code="KR518",
    name="bootstrap-records-lost",
    observation="metadata_beginnings",
    kind="quorum",
    releases=">=3.3",
    verdict=broken_unless(version_named),
    message=lambda row: "the metadata log does not begin with metadata.version: its bootstrap records were lost",
    expected=lambda row: "a FeatureLevel record of metadata.version before the first broker registers",
    got=lambda row: f"{row['record']} at offset {row['offset']}; the cluster runs at level 1 (3.0-IV1)",
    issues=("KAFKA-20839", "KIP-1170"),
    bug="KAFKA-20839",
    remedy=LEVEL,
)
