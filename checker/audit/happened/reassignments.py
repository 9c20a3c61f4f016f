"""Reassignments: begun, and over; one entry for a topic while any of its partitions is being reassigned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....traces.place import Place
from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, saying
from .several import ENDED

RUNNING, OVER = "reassignment-running", "reassignment-ended"
_MOST = 5
"""The most partitions that a reason names."""


def reassignments(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the reassignments of topics.

    Args:
        rows: the rows of the first look.
    """
    by_topic: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") != MOMENT or row["file"] not in files:
            continue
        if saying()[row["row"]].happens in (RUNNING, OVER) and None not in (row["topic"], row["partition"]):
            by_topic[files[row["file"]].cluster, row["topic"]].append(row)
    for (cluster, topic), own in sorted(by_topic.items()):
        own.sort(key=lambda row: (row["ts"] is None, row["ts"] or 0, row["file"], row["line"]))
        for each in _of_topic(topic, own, files):
            yield cluster, each


def _of_topic(topic: str, rows: Sequence[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    running: dict[int, str] = {}
    moved: dict[int, str] = {}
    ended: set[tuple[int, str]] = set()
    first: Row | None = None
    for row in rows:
        partition, said = row["partition"], row["said"]
        if said == ENDED:
            if running.pop(partition, None) is None or first is None:
                continue  # another node says so, too, or it began before the log
            if not running:
                yield _spell(topic, moved, first, row, files)
                yield Happened(OVER, since=row["ts"], topic=topic, reason=_in_words(moved), places=_place(row, files))
                ended |= {*moved.items()}
                moved, first = {}, None
        elif (partition, said) not in ended:
            first = first or row
            running[partition] = moved[partition] = said or ""
    if first is not None:
        yield _spell(topic, running, first, None, files)


def _spell(topic: str, moved: Mapping[int, str], first: Row, end: Row | None, files: Mapping[int, LogFile]) -> Happened:
    return Happened(
        RUNNING,
        since=first["ts"],
        until=None if end is None else end["ts"],
        lasts=end is None,
        topic=topic,
        reason=_in_words(moved),
        places=_place(first, files),
    )


def _in_words(moved: Mapping[int, str]) -> str:
    shown = [f"partition {partition} {said}" for partition, said in sorted(moved.items())[:_MOST]]
    more = len(moved) - _MOST
    return "; ".join([*shown, *([f"{more} more partitions"] if more > 0 else [])])


def _place(row: Row, files: Mapping[int, LogFile]) -> tuple[Place, ...]:
    return (files[row["file"]].place(row["line"]),)
