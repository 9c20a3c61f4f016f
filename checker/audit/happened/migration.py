"""The migration from ZooKeeper to KRaft: for whom it waits, and how long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, saying

PHASE, WAITING = "migration-phase", "migration-waiting"
_MOVED, _RECORDED = "migration-moved", "migration-recorded"
_COPIED = "all metadata of ZooKeeper is in the metadata log"
_SOON = 5000
"""The milliseconds within which a log may end after a wait has begun."""


def migration(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the phases of the migration, and its waits: one for each that it waits for.

    Args:
        rows: the rows of the first look.
    """
    by_cluster: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kind") == MOMENT and row["file"] in files and saying()[row["row"]].happens in (PHASE, WAITING):
            by_cluster[files[row["file"]].cluster].append(row)
    for cluster, own in sorted(by_cluster.items()):
        own.sort(key=lambda row: (row["ts"] is None, row["ts"] or 0, row["file"], row["line"]))
        for each in (*_phases(own, files), *_waits(own, files)):
            yield cluster, each


def _phases(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield the states of each driver, and the phases of the metadata log: once, though all controllers apply them."""
    recorded: set[str] = set()
    for row in rows:
        if saying()[row["row"]].happens != PHASE or row["said"] in recorded:
            continue
        if row["row"] == _RECORDED:
            recorded.add(row["said"])
        yield Happened(
            PHASE,
            since=row["ts"],
            node=None if row["row"] == _RECORDED else row["speaker"],
            reason=row["said"] or _COPIED,
            places=(files[row["file"]].place(row["line"]),),
        )


def _waits(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield for whom each driver waited: until it waits for others, or moves on."""
    by_node: dict[int | None, list[Row]] = defaultdict(list)
    for row in rows:
        if row["ts"] is not None and (row["row"] == _MOVED or saying()[row["row"]].happens == WAITING):
            by_node[row["speaker"]].append(row)
    for node, own in by_node.items():
        waiting: Row | None = None
        for row in own:
            if waiting is not None and (row["row"] == _MOVED or row["said"] != waiting["said"]):
                yield _wait(waiting, row["ts"], node, files)
                waiting = None
            if row["row"] != _MOVED:
                waiting = waiting or row
        if waiting is not None:
            last = own[-1]
            lasts = max(files[last["file"]].youngest or 0, last["last_ts"]) - waiting["ts"] > _SOON
            yield _wait(waiting, None if lasts else last["last_ts"], node, files)


def _wait(row: Row, until: int | None, node: int | None, files: Mapping[int, LogFile]) -> Happened:
    return Happened(
        WAITING,
        since=row["ts"],
        until=until,
        lasts=until is None,
        node=node,
        reason=row["said"],
        places=(files[row["file"]].place(row["line"]),),
    )
