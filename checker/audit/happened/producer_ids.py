"""Blocks of producer ids that a migration from ZooKeeper gives out twice (KAFKA-15552).

Blocks that ZooKeeper gives out rise. The record with which a migration takes them over has the first id of the next
block: above all that were given out before. The first block of a cluster begins with 0, so no next one does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..files.file import LogFile
from ..findings.happened import Happened
from ..findings.metadata import MetadataLog
from ..lines import PRODUCER_IDS_ACQUIRED
from ..table.protocol import Column, Row, Table

GIVEN_OUT = "producer-ids"
"""The kind of a row of the look: the last block that a controller in ZooKeeper mode gave out."""
_BUG = "known-bug"
_REASON = "its block of producer ids from {} on is migrated as the next one: another broker gets it, too"


def given_out(events: Table) -> list[Row]:
    """Return the last block of producer ids that each file shows; a look at consecutive lines."""
    last = {name: Column("max", name) for name in ("line", "ts", "offset")}  # they rise together
    own = events.of_lines(PRODUCER_IDS_ACQUIRED).present("ts").grouped(("file",), **last)
    return [{"kind": GIVEN_OUT} | row for row in own.rows()]


def given_twice(
    rows: Iterable[Row], files: Mapping[int, LogFile], logs: Iterable[MetadataLog]
) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the records that take over a block that was given out before them.

    Args:
        rows: the rows of the first look.
    """
    printed = _by_cluster(rows, files)
    for log in logs:
        for each in log.course.migrated:
            before = [
                row
                for row in printed.get(log.cluster, ())
                if row["offset"] >= each.following and _is_before(row, each.at.ts)
            ]
            if each.following == 0 or before:
                places = (log.course.place(each.at), *(files[row["file"]].place(row["line"]) for row in before[:1]))
                reason = _REASON.format(each.following)
                yield log.cluster, Happened(_BUG, since=each.at.ts, node=each.broker, reason=reason, places=places)


def _by_cluster(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Mapping[int, Sequence[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == GIVEN_OUT and row["file"] in files:
            found[files[row["file"]].cluster].append(row)
    return found


def _is_before(row: Row, ts: int | None) -> bool:
    """Return whether a block was given out before a record: a cluster that goes back to ZooKeeper gives out others."""
    return ts is not None and bool(row["ts"] <= ts)
