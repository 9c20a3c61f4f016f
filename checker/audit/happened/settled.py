"""Entries of nodes that several lines say: a session that expired once, a directory that failed once, an outage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import APART, MOMENT

EXPIRED, REFUSED, UNREACHABLE = "session-expired", "registration-refused", "controller-unreachable"
DIRECTORY = "directory-failed"
_RANKS = ("directory-fails", "log-directory-fails")
"""The rows that say so of a directory, the best first: with the cause, then the directory alone. Any other follows."""
_SERVES = ("process-ready", "unfenced")
"""Entries that show that a node is registered after all."""
_ONCE = 5_000
"""The milliseconds within which several lines say that one session has expired."""
_BRIEF = 3_000
"""The milliseconds up to which failed connections are no outage, even if the log ends then: a controller starts."""


def settled(entries: Iterable[Happened], rows: Iterable[Row], files: Mapping[int, LogFile]) -> list[Happened]:
    """Return the entries of a cluster, those that several lines say as one."""
    kept = list(entries)
    ranks = {(row["file"], row["line"]): _rank(row["row"]) for row in rows if row.get("kind") == MOMENT}
    return [
        *(each for each in kept if each.what not in (EXPIRED, REFUSED, UNREACHABLE, DIRECTORY)),
        *_directories([each for each in kept if each.what == DIRECTORY], ranks),
        *_once(each for each in kept if each.what == EXPIRED),
        *_refused((each for each in kept if each.what == REFUSED), [each for each in kept if each.what in _SERVES]),
        *_outages((each for each in kept if each.what == UNREACHABLE), files),
    ]


def _once(entries: Iterable[Happened]) -> list[Happened]:
    """Return the first of entries that follow each other at once."""
    found = []
    for own in _grouped(entries, lambda each: each.node):
        found += own[:1]
        found += [after for before, after in pairwise(own) if _between(before, after) > _ONCE]
    return found


def _rank(row: str) -> int:
    return _RANKS.index(row) if row in _RANKS else len(_RANKS)


def _directories(entries: Sequence[Happened], ranks: Mapping[tuple[int, int], int]) -> list[Happened]:
    """Return the failures of directories, each by the best line about it: others follow it at once."""
    best = [(each, ranks[each.at]) for each in entries if each.at is not None and each.at in ranks]
    return [
        each
        for each, rank in best
        if not any(
            other.node == each.node and better < rank and 0 <= _between(other, each) <= APART for other, better in best
        )
    ]


def _refused(entries: Iterable[Happened], served: Sequence[Happened]) -> list[Happened]:
    """Return refused registrations, each until its node serves. A broker that restarts before its session ends is
    refused for a while (KAFKA-19047).
    """
    found = []
    for each in entries:
        after = (other.since for other in served if other.node == each.node and other.since is not None)
        until = min((ts for ts in after if each.since is not None and ts > each.since), default=None)
        found.append(replace(each, until=until, lasts=until is None or each.node is None))
    return found


def _outages(entries: Iterable[Happened], files: Mapping[int, LogFile]) -> list[Happened]:
    """Return connections that failed again and again, each as one, from the first to the last failure."""
    found = []
    for own in _grouped(entries, lambda each: (each.node, each.at and each.at[0])):
        spells = [own[:1]]
        for before, after in pairwise(own):
            if _between(before, after) > APART:
                spells.append([])
            spells[-1].append(after)
        found += [_outage(spell, files) for spell in spells]
    return found


def _grouped(entries: Iterable[Happened], key: Callable[[Happened], Hashable]) -> Iterable[list[Happened]]:
    """Return entries by a key, each list in the order of time."""
    groups: dict[Hashable, list[Happened]] = defaultdict(list)
    for each in sorted(entries, key=lambda each: each.order):
        groups[key(each)].append(each)
    return groups.values()


def _end(each: Happened) -> int | None:
    return each.since if each.until is None else each.until


def _between(before: Happened, after: Happened) -> float:
    """Return the milliseconds from the end of one entry to the begin of the next; none where times are not known."""
    end = _end(before)
    return 0 if end is None or after.since is None else after.since - end


def _outage(spell: Sequence[Happened], files: Mapping[int, LogFile]) -> Happened:
    first = spell[0]
    until = max((ts for ts in map(_end, spell) if ts is not None), default=None)
    youngest = None if first.at is None else files[first.at[0]].youngest
    lasts = False
    if first.since is not None and until is not None and youngest is not None:
        lasts = youngest - until <= _ONCE and until - first.since > _BRIEF
    return replace(first, until=None if lasts else until, lasts=lasts, count=sum(each.count for each in spell))
