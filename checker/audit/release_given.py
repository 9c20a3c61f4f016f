"""The release that the user gives, compared with metadata logs and lines of KRaft mode.

A metadata log has its own levels, and its records are judged by these. A release can only contradict them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...specs.errors import IsrproofError
from ...specs.lines import rows as line_rows
from ...specs.metadata.levels import running
from ...specs.releases import in_mode, names
from .files.file import FileFacts
from .findings.metadata import MetadataLog
from .history.lives import Note
from .lines import IN_KRAFT, OF_ZOOKEEPER

_WITH_ZOOKEEPER = in_mode("zk")


def of_lines(releases: int | None, facts: Iterable[FileFacts]) -> int | None:
    """Return the releases that lines are judged by: where some are of ZooKeeper mode, those given ones that have it.

    Raises:
        IsrproofError: none has it, and there are such lines. No release would allow anything that they report.
    """
    with_zookeeper = next((fact for fact in facts if not fact.rows.keys().isdisjoint(OF_ZOOKEEPER)), None)
    if releases is None or with_zookeeper is None:
        return releases
    if not releases & _WITH_ZOOKEEPER:
        raise IsrproofError(
            f"--release: expected a release whose controller uses ZooKeeper ({names(_WITH_ZOOKEEPER)}), as lines of"
            f" {with_zookeeper.path} come from one; got {names(releases)}."
        )
    return releases & _WITH_ZOOKEEPER


def contradicted(releases: int | None, logs: Iterable[MetadataLog], facts: Iterable[FileFacts]) -> Iterator[Note]:
    """Yield a note for each metadata log with a level at which none of these releases runs, and one for each cluster
    with lines of KRaft mode that none of them prints; None: no release was given.
    """
    if releases is None:
        return
    for log in logs:
        beyond = next((each for each in log.levels if not running(each.level) & releases), None)
        if beyond is not None:
            yield Note(
                log.cluster,
                f"the metadata log is at metadata.version {beyond.name} from offset {beyond.offset} on, at which Kafka"
                f" {names(running(beyond.level))} can run, which --release {names(releases)} contradicts: its records"
                " are judged by its own level",
            )
    unlike: dict[int, list[tuple[FileFacts, str]]] = {}
    for fact in facts:
        for row in fact.rows:
            if row in _RELEASES and not _RELEASES[row] & releases:
                unlike.setdefault(fact.cluster, []).append((fact, row))
    for cluster, found in unlike.items():
        lines = sum(fact.rows[row] for fact, row in found)
        files = {fact.index for fact, _ in found}
        fewest = min((_RELEASES[row] for _, row in found), key=lambda mask: (mask.bit_count(), mask))
        yield Note(
            cluster,
            f"{lines} line{'s' * (lines > 1)} of KRaft mode in {len(files)} file{'s' * (len(files) > 1)} (the first"
            f" {found[0][0].path}) {'are' if lines > 1 else 'is'} worded as in Kafka {names(fewest)}, which --release"
            f" {names(releases)} contradicts",
        )


_RELEASES = {row: line_rows()[row].releases for row in IN_KRAFT}
"""The releases that print each of these lines."""
