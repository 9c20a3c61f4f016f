"""The states of all partitions, as the columns and names that page.js reads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .....traces.timeline import TimelineRow
from ...observe.controller.conditions import OFFLINE, UNDER_REPLICATED
from ..encodable import Change
from ..model import Report
from ..shown import plain
from ..terms import Key, by_partition
from .columns import ABSENT, Numbers, differences, packed


def _whole(text: str) -> str | None:
    """Leave a path as it is."""
    return None


MOST = 600_000
"""The most states in a page. Partitions with findings come first, then offline ones."""


def partitions(report: Report, most: int | None = None, cut: Change = _whole) -> list[dict[str, Any]]:
    """Return for each page the columns of partitions and of their states, and the names that these number.

    Times are seconds since `base`, and milliseconds of a second; -1 milliseconds: the line has no time. A line is its
    number, an offset of a binary log -1 minus itself. `short` has the times in which a partition, by its place in the
    columns, was under-replicated, as far as the report shows them.
    """
    groups = by_partition(report.timeline or ())
    findings = Counter((each.life or 1, each.entity.topic, each.entity.partition) for each in report.findings)
    offline: Counter[Key] = Counter()
    for each in report.conditions():
        if each.condition == OFFLINE and each.since is not None and each.until is not None:
            offline[each.life, each.topic, each.partition] += max(each.until - each.since, 0)
    short = defaultdict(list)
    for each in report.conditions():
        if each.condition == UNDER_REPLICATED and each.since is not None:
            short[each.life, each.topic, each.partition].append((each.since, each.until))
    pages = _pages(groups, findings, offline, MOST if most is None else most)
    return [_page(page, findings, offline, short, cut) for page in pages]


def _page(
    kept: Sequence[tuple[Key, list[TimelineRow]]],
    findings: Counter[Any],
    offline: Counter[Key],
    short: Mapping[Key, Sequence[tuple[int, int | None]]],
    cut: Change,
) -> dict[str, Any]:
    topics: Numbers[str] = Numbers()
    isrs: Numbers[tuple[int, ...] | None] = Numbers()
    files: Numbers[str] = Numbers()
    rows = [row for _, own in kept for row in own]
    times = [row.ts for row in rows if row.ts is not None]
    base = min(times, default=0) // 1000
    seconds, last = [], base
    for row in rows:
        last = last if row.ts is None else row.ts // 1000
        seconds.append(last - base)
    heads: Sequence[Iterable[int]] = (
        [topics(key[1]) for key, _ in kept],
        [key[2] for key, _ in kept],
        [key[0] for key, _ in kept],
        [len(own) for _, own in kept],
        [findings[key] for key, _ in kept],
        [min(offline[key], 2**31 - 1) for key, _ in kept],
    )
    states: Sequence[Iterable[int]] = (
        differences(seconds),
        [-1 if row.ts is None else row.ts % 1000 for row in rows],
        [row.leader for row in rows],
        [isrs(row.isr) for row in rows],
        [row.leader_epoch for row in rows],
        [ABSENT if row.controller_epoch is None else row.controller_epoch for row in rows],
        [ABSENT if row.partition_epoch is None else row.partition_epoch for row in rows],
        [files(row.place.file) for row in rows],
        differences((row.place.line or 0) if row.place.offset is None else -1 - row.place.offset for row in rows),
    )
    return {
        "base": base,
        "partitions": len(kept),
        "states": len(rows),
        "which": " to ".join(f"{plain(topic)}-{number}" for (_, topic, number), _ in [*kept[:1], *kept[-1:]]),
        "topics": [plain(topic) for topic in topics.values()],
        "isrs": ["?" if isr is None else ", ".join(map(str, isr)) for isr in isrs.values()],
        "files": [plain(cut(file) or file) for file in files.values()],
        "short": {index: sorted(short[key], key=_begin) for index, (key, _) in enumerate(kept) if key in short},
        "heads": packed(heads),
        "rows": packed(states),
    }


def _begin(spell: tuple[int, int | None]) -> int:
    return spell[0]


def _pages(
    groups: Sequence[tuple[Key, list[TimelineRow]]], findings: Counter[Any], offline: Counter[Key], most: int
) -> list[list[tuple[Key, list[TimelineRow]]]]:
    """Return as many partitions as fit on each page, in their own order; a partition is on one page."""
    if sum(len(rows) for _, rows in groups) <= most:
        return [list(groups)]
    ranked = sorted(range(len(groups)), key=lambda i: (-findings[groups[i][0]], -offline[groups[i][0]], i))
    first = _fitting(ranked, groups, most)
    pages, rest = [sorted(ranked[:first])], sorted(ranked[first:])
    while rest:
        pages.append(rest[: _fitting(rest, groups, most)])
        rest = rest[len(pages[-1]) :]
    return [[groups[index] for index in page] for page in pages]


def _fitting(indices: Sequence[int], groups: Sequence[tuple[Key, list[TimelineRow]]], most: int) -> int:
    """Return how many of these partitions fit on a page, at least one."""
    room = most
    for number, index in enumerate(indices):
        room -= len(groups[index][1])
        if room < 0:
            return max(number, 1)
    return len(indices)
