"""Reassignments: begun, and over; one entry for a topic while any of its partitions is being reassigned."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....traces.place import Place
from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import by_topic
from .several import ENDED

RUNNING, OVER = "reassignment-running", "reassignment-ended"
_OF_TOOL = "tool-reassignment"
_MOST = 5
"""The most partitions that a reason names."""


def reassignments(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the reassignments of topics.

    Args:
        rows: the rows of the first look.
    """
    for cluster, topic, own in by_topic(rows, files, (RUNNING, OVER), ("topic", "partition")):
        for each in _of_topic(topic, own, files):
            yield cluster, each


def targets(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Mapping[int, dict[tuple[str, int], frozenset[int]]]:
    """Return by cluster the replicas to which partitions are being reassigned at the end of the log."""
    found: dict[int, dict[tuple[str, int], frozenset[int]]] = defaultdict(dict)
    for cluster, topic, own in by_topic(rows, files, (RUNNING, OVER), ("topic", "partition")):
        for row in own:
            key = topic, row["partition"]
            if row["said"] == ENDED:
                found[cluster].pop(key, None)
            elif (row["said"] or "").startswith("to "):
                found[cluster][key] = frozenset(map(int, re.findall("[0-9]+", row["said"])))
    return found


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
    moment = end is None and first["row"] == _OF_TOOL
    return Happened(
        RUNNING,
        since=first["ts"],
        until=None if end is None else end["ts"],
        lasts=end is None and not moment,
        moment=moment,
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
