"""Contents of logs that this program does not know, by cluster: a release, a level or records newer than its tables.

Kafka's next release may change any rule. A finding that depends on such content is *unknown* at most, and the report
says why. If a release is known, but lines that each of its processes prints are absent, a note says so: another build
may word them differently, or a level hides them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from os.path import dirname

from ...specs.lines import rows, rows_with
from ...specs.releases import in_mode, latest, names
from .files.log import Read
from .findings.metadata import Metadata
from .history.journals import VERSION
from .history.lives import Note
from .lines import IN_KRAFT, VERSION_PRINTED


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
    """Yield releases that processes print."""
    clusters = {file.index: file.cluster for file in read.files}
    printed = {
        (clusters[row["file"]], row["detail"])
        for row in read.rows
        if row.get("kind") == VERSION and row["detail"] is not None and row["file"] in clusters
    }
    for cluster, version in sorted(printed):
        yield cluster, f"Kafka {version}, which a log prints, is newer than this program knows (up to {latest().name})"


def missing_lines(read: Read) -> Iterator[Note]:
    """Note each folder whose KRaft processes print a release, and not a line that they must print as they start."""
    folders: dict[tuple[int, str], set[str]] = defaultdict(set)
    printed: dict[tuple[int, str], int] = {}
    of_file = {fact.index: (fact.cluster, dirname(fact.path)) for fact in read.facts}
    for fact in read.facts:
        folders[of_file[fact.index]].update(fact.rows)
    for row in read.rows:
        if row.get("kind") == VERSION and row["detail"] is None and not row["releases"] & in_mode("zk"):
            own = of_file[row["file"]]
            printed[own] = printed.get(own, row["releases"]) & row["releases"]
    opened = rows_with("raft-opened")
    for (cluster, folder), read_rows in sorted(folders.items()):
        where = f"{folder or '.'}: "
        release = printed.get((cluster, folder), 0)
        must = [row for row in opened if rows()[row].releases & release]
        if must and read_rows & {*IN_KRAFT} - {*opened, *VERSION_PRINTED} and read_rows.isdisjoint(opened):
            yield Note(
                cluster,
                f"{where}processes of Kafka {names(release)} print {must[0]} as they start, but no such line was read:"
                " rules that depend on the start of a quorum's process compare fewer lines",
            )
        if not read_rows.isdisjoint(opened) and read_rows.isdisjoint(VERSION_PRINTED):
            yield Note(
                cluster,
                f"{where}processes start here, but none prints a readable version of Kafka: their release is"
                " known from the wording of single lines only",
            )
