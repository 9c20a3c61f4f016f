"""Controllers whose registration timed out, until they are registered: since KAFKA-20247 is fixed they ask again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, saying
from .writers import Writers

UNANSWERED = "registration-unanswered"
_TIMED_OUT, _STARTED = "no-active-controller-answers", "process-started"
_SOON = 5000
"""The milliseconds within which a log may end after a registration timed out: the next one takes as long."""


def unanswered(rows: Iterable[Row], files: Mapping[int, LogFile], writers: Writers) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the times in which a controller was not registered because nobody took its request.

    Args:
        rows: the rows of the first look.
    """
    by_node: dict[tuple[int, int | None], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") != MOMENT or row["file"] not in files or row["ts"] is None:
            continue
        if saying()[row["row"]].happens in (UNANSWERED, _STARTED):
            node = row["speaker"] if row["speaker"] is not None else writers.of(row["file"])
            by_node[files[row["file"]].cluster, node].append(row)
    for (cluster, node), own in sorted(by_node.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        for signs, until in _spells(sorted(own, key=lambda row: (row["ts"], row["file"], row["line"]))):
            yield cluster, _entry(signs, until, node, files)


def _spells(rows: Iterable[Row]) -> Iterator[tuple[Sequence[Row], int | None]]:
    """Yield registrations that timed out one after the other, and when the node was registered, or started anew."""
    signs: list[Row] = []
    for row in rows:
        if row["row"] == _TIMED_OUT:
            signs.append(row)
        elif signs:
            yield signs, row["ts"]
            signs = []
    if signs:
        yield signs, None


def _entry(signs: Sequence[Row], until: int | None, node: int | None, files: Mapping[int, LogFile]) -> Happened:
    first, last = signs[0], signs[-1]
    ends = last["last_ts"] if last["last_ts"] is not None else last["ts"]
    lasts = until is None and (files[last["file"]].youngest or 0) - ends > _SOON
    return Happened(
        UNANSWERED,
        since=first["ts"],
        until=None if lasts else until,
        lasts=lasts,
        node=node,
        count=sum(row["n"] for row in signs),
        places=(files[first["file"]].place(first["line"]),),
        at=(first["file"], first["line"]),
    )
