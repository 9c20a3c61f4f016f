"""Committed records that are lost: what findings name, and what a follower cuts below its high watermark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ....traces.place import Place
from ..files.file import LogFile
from ..findings.finding import Finding
from ..findings.happened import Happened
from ..lines import BELOW_HIGH_WATERMARK
from ..rules.broker.leader_lacks_committed_records import OUTSIDE
from ..table.protocol import Row
from .elections import UNCLEAN
from .moments import MOMENT, saying
from .reasons import offsets

LOST = "records-lost"


@dataclass(frozen=True)
class _Range:
    """Offsets of a partition, from `start` to before `end`."""

    start: int
    end: int
    ts: int | None
    place: Place


def losses(
    rows: Iterable[Row], findings: Iterable[Finding], files: Mapping[int, LogFile]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster each range of lost offsets once, however many replicas and rules name parts of it."""
    found: dict[tuple[int, str, int], list[_Range]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT and row["row"] in BELOW_HIGH_WATERMARK and row["file"] in files:
            first, end, file = row["from_offset"], row["high_watermark"], files[row["file"]]
            if None not in (first, end) and first < end:
                lost = _Range(first, end, row["ts"], file.place(row["line"]))
                found[file.cluster, row["topic"], row["partition"]].append(lost)
    for finding in findings:
        if finding.verdict in ("illegal", "suspicious"):
            for each in finding.lost:
                lost = _Range(each.start, each.end, finding.ts, finding.place)
                found[finding.cluster, each.topic, each.partition].append(lost)
    for (cluster, topic, partition), own in sorted(found.items()):
        for lost in _joined(own):
            reason, places = f"offsets {offsets(lost.start, lost.end)}", (lost.place,)
            of = Happened(LOST, since=lost.ts, topic=topic, partition=partition, reason=reason, places=places)
            yield cluster, of


def elected_outside(
    rows: Iterable[Row], findings: Iterable[Finding], files: Mapping[int, LogFile]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the unclean elections that findings show, of partitions of which no controller prints them: from
    1.1 on, none of ZooKeeper mode does.
    """
    own = (row for row in rows if row.get("kind") == MOMENT and row["file"] in files)
    printed = {
        (files[row["file"]].cluster, row["topic"], row["partition"])
        for row in own
        if saying()[row["row"]].happens == UNCLEAN
    }
    for finding in findings:
        about = finding.entity
        if not finding.message.endswith(OUTSIDE) or (finding.cluster, about.topic, about.partition) in printed:
            continue
        reason = finding.message.rpartition("; ")[2]
        yield (
            finding.cluster,
            Happened(
                UNCLEAN,
                since=finding.ts,
                node=about.replica if about.broker is None else about.broker,
                topic=about.topic,
                partition=about.partition,
                reason=reason,
                places=(finding.place,),
            ),
        )


def _joined(ranges: Iterable[_Range]) -> list[_Range]:
    """Return ranges that touch as one, with the time and the place of the first that was seen."""
    found: list[_Range] = []
    for each in sorted(ranges, key=lambda own: (own.start, own.end)):
        last = found[-1] if found else None
        if last is not None and each.start <= last.end:
            first = min((last, each), key=lambda own: (own.ts is None, own.ts or 0))
            found[-1] = _Range(last.start, max(last.end, each.end), first.ts, first.place)
        else:
            found.append(each)
    return found
