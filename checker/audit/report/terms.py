"""Leader terms: a partition's states in order, each from the line that shows it to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....traces.timeline import TimelineRow
from .model import Report

Key = tuple[int, str, int]
"""Life, topic, partition."""


@dataclass(frozen=True)
class Term:
    """A state of a partition; `start` and `end` are milliseconds as printed and never go back: brokers' clocks
    differ.
    """

    row: TimelineRow
    start: int
    end: int


def by_partition(timeline: Iterable[TimelineRow]) -> list[tuple[Key, list[TimelineRow]]]:
    """Return the states of each partition, in their order; partitions by life and name."""
    found: dict[Key, list[TimelineRow]] = defaultdict(list)
    for row in timeline:
        found[row.life, row.topic, row.partition].append(row)
    return sorted(found.items())


def terms(report: Report) -> Iterator[tuple[Key, list[Term]]]:
    """Yield the terms of each partition, for states whose lines have times."""
    last = last_time(report)
    for key, own in by_partition(report.timeline or ()):
        yield key, list(_terms([row for row in own if row.ts is not None], last))


def last_time(report: Report) -> int:
    """Return the latest time of any state or finding."""
    times = [row.ts for row in report.timeline or () if row.ts is not None]
    times += [each.ts for each in report.findings if each.ts is not None]
    times += [each.until or each.since or 0 for each in report.conditions()]
    return max(times, default=0)


def _terms(rows: Sequence[TimelineRow], last: int) -> Iterator[Term]:
    start = 0
    for index, row in enumerate(rows):
        start = max(start, row.ts or 0)
        following = rows[index + 1].ts if index + 1 < len(rows) else last
        yield Term(row, start, max(start, following or 0))
