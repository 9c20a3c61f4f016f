"""Brokers that go on although no controller has heard of their failed directory (KAFKA-15649)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT
from .settled import DIRECTORY
from .writers import Writers

_BUG = "known-bug"
_REASON = "a log directory of it failed, and for {} s no heartbeat got through that says so: it goes on"
_UNSENT = "no-controller-answers"
"""The row of a heartbeat that gets no answer; one that gets an answer prints nothing."""
_AGAIN = 10_000
"""The milliseconds within which a heartbeat without an answer fails again; longer, and one may have got an answer."""
_TIMEOUT = 30_000
"""The milliseconds after which a broker has to give up. Source: log.dir.failure.timeout.ms of 3.8, at its default."""


def goes_on(
    entries: Mapping[int, Iterable[Happened]], rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the brokers that run for so long without a heartbeat after a directory has failed.

    Args:
        entries: all of each cluster.
        rows: the rows of the first look.
    """
    unsent = _unsent(rows, files, writers)
    for cluster, own in entries.items():
        for each in own:
            if each.what == DIRECTORY and each.since is not None and each.node is not None:
                last = _last(unsent.get((cluster, each.node), ()), each.since)
                if last is not None and last["ts"] - each.since >= _TIMEOUT:
                    yield cluster, _entry(each, last, files)


def _entry(failed: Happened, last: Row, files: Mapping[int, LogFile]) -> Happened:
    places = (*failed.places[:1], files[last["file"]].place(last["line"]))
    said = _REASON.format((last["ts"] - (failed.since or 0)) // 1000)
    return Happened(_BUG, since=failed.since, until=last["ts"], node=failed.node, reason=said, places=places)


def _unsent(
    rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers
) -> Mapping[tuple[int, int], Sequence[Row]]:
    """Return the heartbeats of each broker that got no answer, in the order of time."""
    found: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT and row["row"] == _UNSENT and row["ts"] is not None and row["file"] in files:
            who = row["speaker"] if row["speaker"] is not None else writers.of(row["file"])
            if who is not None:
                found[files[row["file"]].cluster, who].append(row)
    for own in found.values():
        own.sort(key=lambda row: (row["ts"], row["file"], row["line"]))
    return found


def _last(unsent: Sequence[Row], since: int) -> Row | None:
    """Return the last of the heartbeats from a time on that fail one after the other; None if there is none."""
    last, until = None, since
    for row in unsent[bisect_left(unsent, since, key=_time) :]:
        if row["ts"] - until > _AGAIN:
            break
        last, until = row, row["ts"]
    return last


def _time(row: Row) -> int:
    return int(row["ts"])
