"""Entries of nodes that several lines say: a session that expired once, a directory that failed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import APART, MOMENT
from .outages import OUTAGES, between, outages
from .writers import Writers

EXPIRED, REFUSED, DIRECTORY = "session-expired", "registration-refused", "directory-failed"
_RANKS = ("directory-fails", "log-directory-fails")
"""The rows that say so of a directory, the best first: with the cause, then the directory alone. Any other follows."""
_SERVES = ("process-ready", "unfenced")
"""Entries that show that a node is registered after all."""
_ONCE = 5_000
"""The milliseconds within which several lines say that one session has expired."""


def settled(
    entries: Iterable[Happened], rows: Sequence[Row], files: Mapping[int, LogFile], writers: Writers
) -> list[Happened]:
    """Return the entries of a cluster, those that several lines say as one."""
    kept = list(entries)
    ranks = {(row["file"], row["line"]): _rank(row["row"]) for row in rows if row.get("kind") == MOMENT}
    return [
        *(each for each in kept if each.what not in (EXPIRED, REFUSED, DIRECTORY, *OUTAGES)),
        *_directories([each for each in kept if each.what == DIRECTORY], ranks),
        *_once(each for each in kept if each.what == EXPIRED),
        *_refused((each for each in kept if each.what == REFUSED), [each for each in kept if each.what in _SERVES]),
        *outages(kept, rows, files, writers),
    ]


def _once(entries: Iterable[Happened]) -> list[Happened]:
    """Return the first of entries that follow each other at once."""
    by_node: dict[int | None, list[Happened]] = defaultdict(list)
    for each in sorted(entries, key=lambda each: each.order):
        by_node[each.node].append(each)
    found = []
    for own in by_node.values():
        found += own[:1]
        found += [after for before, after in pairwise(own) if between(before, after) > _ONCE]
    return found


def _rank(row: str) -> int:
    return _RANKS.index(row) if row in _RANKS else len(_RANKS)


def _directories(entries: Sequence[Happened], ranks: Mapping[tuple[int, int], int]) -> list[Happened]:
    """Return the failures of directories, each by the best line about it, the first of equal ones: others follow it at
    once.
    """
    best = [(each, ranks[each.at]) for each in entries if each.at is not None and each.at in ranks]
    return [
        each
        for each, rank in best
        if not any(
            other.node == each.node
            and (better < rank or (other.reason == each.reason and other.order < each.order))
            and 0 <= between(other, each) <= APART
            for other, better in best
        )
    ]


def _refused(entries: Iterable[Happened], served: Sequence[Happened]) -> list[Happened]:
    """Return refused registrations, each until its node serves. A broker that restarts before its session ends is
    refused for a while (KAFKA-19047).

    A controller's line names no node. Who is refused tries again at once: such refusals last until some node serves
    after the last of them.
    """
    kept = list(entries)
    last = max((each.since or 0 for each in kept if each.node is None), default=0)
    found = []
    for each in kept:
        since = last if each.node is None else each.since
        after = (other.since or 0 for other in served if each.node in (None, other.node))
        until = min((ts for ts in after if since is not None and ts > since), default=None)
        found.append(replace(each, until=until, lasts=until is None))
    return found
