"""What logs hold that this program does not know, by cluster: a release, a level or records newer than its tables.

Kafka's next release may change any rule. What rests on such a thing is *unknown* at most, and the report says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ...specs.releases import latest
from .files.log import Read
from .findings.metadata import Metadata
from .history.journals import VERSION


def all_not_known(read: Read, metadata: Metadata) -> Mapping[int, tuple[str, ...]]:
    """Return the reasons of each cluster that has some, in words."""
    found: dict[int, dict[str, None]] = defaultdict(dict)
    for cluster, reason in _of_text(read):
        found[cluster][reason] = None
    for log in metadata.logs:
        for reason in log.not_known:
            found[log.cluster][reason] = None
    return {cluster: tuple(reasons) for cluster, reasons in found.items()}


def _of_text(read: Read) -> Iterator[tuple[int, str]]:
    """Releases that processes print."""
    clusters = {file.index: file.cluster for file in read.files}
    printed = {
        (clusters[row["file"]], row["detail"])
        for row in read.rows
        if row.get("kind") == VERSION and row["detail"] is not None and row["file"] in clusters
    }
    for cluster, version in sorted(printed):
        yield cluster, f"Kafka {version}, which a log prints, is newer than this program knows (up to {latest().name})"
