"""Metadata logs: from the copies of a cluster's nodes to verdicts, and to what a report shows of each log."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ...specs.behaviours import BEHAVIOURS
from ...specs.machines import LEVELS
from ...specs.metadata.levels import level_name
from ...specs.release_sets import names
from ...specs.releases import span
from ...traces.metadata.batches import Batches
from ...traces.metadata.files import MetadataFile
from ...traces.metadata.reader import in_table_order
from ...traces.place import Place
from ...traces.timeline import TimelineRow
from .catalogue import observations
from .files.file import FileFacts, LogFile
from .files.metadata import MetadataCopy, Segment, copies
from .findings.finding import Finding
from .findings.metadata import (
    MIGRATION,
    BrokerChange,
    KnownFault,
    LevelChange,
    Metadata,
    MetadataLog,
    MigrationChange,
    Reign,
)
from .findings.state import of_metadata
from .judge import Verdicts, first_failing, verdicts
from .observe.narrow import EVERYTHING, Narrow
from .observe.order import NEAR
from .sources.metadata.chronicle import Chronicle
from .sources.metadata.conditions import Conditions
from .sources.metadata.course import Course
from .sources.metadata.known import IN_WORDS, Known
from .sources.metadata.quorum import Quorum, quorums
from .sources.metadata.seen import Collected
from .sources.metadata.shown import shown
from .table.protocol import Row, Table, Tables
from .table.rows import PythonTable

_UNTIL_COLLECTED = 1_000_000
"""The objects that are made, less those that are dropped, before Python looks for cycles."""


def audited_metadata(
    found: Sequence[tuple[int, Sequence[MetadataFile]]],
    first: int,
    tables: Tables = PythonTable,
    narrow: Narrow = EVERYTHING,
    *,
    with_timeline: bool = False,
    with_chronicles: bool = False,
) -> Metadata:
    """Audit the metadata logs of clusters.

    Args:
        found: the number of each cluster, and its metadata files.
        first: the number of the first of these files among those of the audit.
        tables: makes tables of rows.
        with_chronicles: also keep what records made of partitions, for lines that are held against it.
    """
    result = Metadata()
    with _rarely_collected():
        _audited(found, first, tables, narrow, result, with_timeline, with_chronicles)
    return result


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Python looks for cycles less often: what a log is read into has none, and looking for them takes a tenth."""
    before = gc.get_threshold()
    gc.set_threshold(_UNTIL_COLLECTED, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _audited(
    found: Sequence[tuple[int, Sequence[MetadataFile]]],
    first: int,
    tables: Tables,
    narrow: Narrow,
    result: Metadata,
    with_timeline: bool,
    with_chronicles: bool,
) -> None:
    for cluster, files in found:
        own = copies(files, first)
        first += sum(len(copy.segments) + len(copy.snapshots) for copy in own)
        for quorum in quorums(own):
            seen = Collected(
                begun=[] if with_timeline else None,
                chronicle=Chronicle() if with_chronicles else None,
                conditions=Conditions(narrow),
                course=Course(narrow),
                known=Known(narrow),
            )
            _audit(quorum, cluster, tables, narrow, result, seen)
            if seen.chronicle is not None:
                name = next((scan.copy.cluster_id for scan in quorum.copies if scan.copy.cluster_id is not None), None)
                result.chronicles.setdefault(cluster, []).append((name, seen.chronicle))


def _audit(
    quorum: Quorum,
    cluster: int,
    tables: Tables,
    narrow: Narrow,
    result: Metadata,
    seen: Collected,
) -> None:
    segments = {each.index: each for each in (*_segments(scan.copy for scan in quorum.copies), *quorum.apart)}
    files = {index: _file(each, cluster) for index, each in segments.items()}
    result.files |= files
    judged = Verdicts()
    states: list[Row] = []
    for rows in shown(quorum, cluster, seen):
        found = rows.tables(tables)
        judged += verdicts(found, narrow, result.defects)
        if narrow != EVERYTHING:
            result.nearest += _nearest(found, narrow)
        if seen.begun is not None:
            states += narrow.of(rows.of_changes(PythonTable)).rows()
    if seen.begun is not None:
        states = [*narrow.of(PythonTable.of_rows(seen.begun)).rows(), *states]
        by_partition = sorted(states, key=lambda row: (row["topic"], row["partition"]))
        result.timeline += [_timeline_row(row, files) for row in by_partition]
    result.verdicts += Verdicts(judged.counts, first_failing(judged.fails))
    result.facts += [_facts(each, cluster) for each in segments.values()]
    result.notes += [(cluster, note) for note in seen.notes]
    result.records[cluster] = result.records.get(cluster, Counter()) + seen.records
    numbers, conditions = of_metadata(seen.conditions, files)
    result.logs.append(
        MetadataLog(
            nodes=tuple(dict.fromkeys(scan.copy.node for scan in quorum.copies)),
            begins=quorum.start,
            ends=quorum.end,
            committed=quorum.committed,
            because=quorum.because,
            reigns=tuple(_reigns(seen)),
            levels=tuple(LevelChange(offset, ts, level, level_name(level)) for offset, ts, level in seen.levels),
            brokers=tuple(BrokerChange(*each) for each in seen.brokers),
            migration=tuple(
                MigrationChange(offset, ts, MIGRATION.get(state, str(state))) for offset, ts, state in seen.migration
            ),
            known=tuple(_known(seen.known)),
            counts=numbers,
            conditions=conditions,
            course=seen.walked(files),
            files=tuple(each.path for each in segments.values()),
            cluster=cluster,
            not_known=tuple(seen.unsure.in_words()),
        )
    )


def _reigns(seen: Collected) -> Iterator[Reign]:
    for epoch, led in sorted(seen.leaders.items()):
        yield Reign(epoch, *led, seen.last[epoch].time if epoch in seen.last else None)


def _known(known: Known) -> Iterator[KnownFault]:
    for issue, records in sorted(known.counts.items()):
        of = next(each for each in BEHAVIOURS.values() if issue in (each.id, *each.also))
        bug = of.kind == "bug"
        yield KnownFault(
            issue,
            IN_WORDS[issue],
            names(span(">=3.0") & (of.releases if bug else ~of.releases)),
            ", ".join(of.fixed_in) if bug else f"{of.since}, from metadata.version {level_name(of.level)} on",
            records,
            known.first[issue],
        )


def _nearest(shown: Mapping[str, Table], narrow: Narrow) -> list[Row]:
    """Return the times of records, by partition and for none, around the stretch of time that is asked for."""
    found: list[Row] = []
    for name, table in shown.items():
        columns = observations()[name].columns
        if "ts" in columns and "file" in columns:
            of = NEAR if "partition" in columns else ("file",)
            found += [{"topic": None, "partition": None} | row for row in narrow.nearest_in(table, of)]
    return found


def _timeline_row(row: Row, files: Mapping[int, LogFile]) -> TimelineRow:
    file = files[row["file"]]
    return TimelineRow(
        topic=row["topic"],
        partition=row["partition"],
        leader=row["leader"],
        isr=tuple(row["isr"]),
        leader_epoch=row["leader_epoch"],
        controller_epoch=row["controller_epoch"],
        partition_epoch=row["partition_epoch"],
        life=1,
        place=Place(file.path, offset=row["offset"]),
        ts=row["ts"],
        cluster=file.cluster,
    )


def _segments(own: Iterable[MetadataCopy]) -> Iterator[Segment]:
    return (each for copy in own for each in (*copy.segments, *copy.snapshots))


def _file(segment: Segment, cluster: int) -> LogFile:
    directory = segment.path.rpartition("/")[0]
    return LogFile(segment.index, cluster, segment.path, directory, directory, level=len(LEVELS))


def _facts(segment: Segment, cluster: int) -> FileFacts:
    batches = segment.batches
    nothing = dict.fromkeys(("understood", "irrelevant", "continuation", "unknown"), 0)
    return FileFacts(
        segment.index,
        cluster,
        segment.path,
        lines=0,
        coverage=nothing,
        rows={},
        unknown=dict((batches.counts.unknown + batches.counts.partial).most_common()),
        bearing_unknown=sum(batches.counts.unknown.values()),
        problem=segment.problem,
    )


def with_records(findings: Sequence[Finding]) -> list[Finding]:
    """Findings, those that name a record with its data as `isrproof records` prints it."""
    texts = _records(each.place for each in findings)
    return [
        each
        if each.place.offset is None
        else replace(each, excerpt=texts.get(each.file, {}).get(each.place.offset, ""))
        for each in findings
    ]


def records_beside(findings: Sequence[Finding]) -> dict[str, dict[int, str]]:
    """Return the records that findings name beside the one that they are about, by file and offset."""
    return _records(other.place for each in findings for other in each.evidence[1:])


def _records(places: Iterable[Place]) -> dict[str, dict[int, str]]:
    wanted: dict[str, set[int]] = {}
    for place in places:
        if place.offset is not None:
            wanted.setdefault(place.file, set()).add(place.offset)
    texts: dict[str, dict[int, str]] = {}
    for path, offsets in wanted.items():
        for batch in Batches(path):
            for record in batch.records:
                if record.offset in offsets and record.data is not None:
                    data = json.dumps(in_table_order(record.type, record.data), ensure_ascii=False)
                    texts.setdefault(path, {})[record.offset] = f"{record.type} {data}"[:1000]
    return texts
