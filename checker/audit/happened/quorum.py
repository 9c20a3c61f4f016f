"""The metadata quorum: who led it, and when it had no leader; from the states that its nodes print."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....traces.place import Place
from ..files.file import LogFile
from ..sources.nodes.raft import STATE
from ..table.protocol import Row
from .happened import Happened

LED, WITHOUT = "quorum-led", "quorum-without-leader"
_WITH_LEADER = ("Leader", "Follower")


def quorum(lines: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster the times with and without a leader.

    Args:
        lines: nodes' lines about the quorum, as `walked` returns them.
    """
    by_cluster: dict[int, list[Row]] = defaultdict(list)
    for row in lines:
        if row["row"] == STATE and row["ts"] is not None and row["node"] is not None:
            by_cluster[row["cluster"]].append(row)
    for cluster, own in sorted(by_cluster.items()):
        own.sort(key=lambda row: (row["raft_epoch"], row["ts"], row["file"], row["line"]))
        for each in _of_cluster(own, files):
            yield cluster, each


def _of_cluster(rows: Sequence[Row], files: Mapping[int, LogFile]) -> Iterator[Happened]:
    """Yield what the states of one cluster's nodes show, by epoch: clocks of nodes are only compared at its ends.

    In an epoch that some node has a leader in, another without one has not heard of it yet.
    """
    led = _first_led(rows)
    epochs = sorted(led)
    for epoch, after in zip(epochs, [*epochs[1:], None], strict=False):
        first, leader = led[epoch]
        left = [row for row in rows if row["raft_epoch"] > epoch and (after is None or row["raft_epoch"] < after)]
        without = min(left, key=_time, default=None)
        found = None if after is None else led[after][0]
        until = without["ts"] if without is not None else None if found is None else found["ts"]
        place = _place(first, files)
        yield Happened(LED, since=first["ts"], until=until, lasts=until is None, node=leader, epoch=epoch, places=place)
        if without is not None:
            yield _without(without, found, left, files, f"the leader of epoch {epoch} was {leader}")
    before = [row for row in rows if not epochs or row["raft_epoch"] < epochs[0]]
    if before:
        first = min(before, key=_time)
        yield _without(first, led[epochs[0]][0] if epochs else None, before, files, "no leader was known before")


def _first_led(rows: Iterable[Row]) -> dict[int, tuple[Row, int]]:
    """Return for each epoch with a leader the first line that shows it, and the leader."""
    found: dict[int, tuple[Row, int]] = {}
    for row in rows:
        leader = row["node"] if row["raft_state"] == "Leader" else row["leader"]
        if row["raft_state"] in _WITH_LEADER and leader is not None and row["raft_epoch"] not in found:
            found[row["raft_epoch"]] = row, leader
    return found


def _time(row: Row) -> int:
    return int(row["ts"])


def _without(first: Row, found: Row | None, rows: Sequence[Row], files: Mapping[int, LogFile], why: str) -> Happened:
    epochs = sorted({row["raft_epoch"] for row in rows})
    tried = f"epoch {epochs[0]}" if len(epochs) == 1 else f"epochs {epochs[0]} to {epochs[-1]}"
    until = None if found is None else max(found["ts"], first["ts"])
    return Happened(
        WITHOUT,
        since=first["ts"],
        until=until,
        lasts=found is None,
        epoch=first["raft_epoch"],
        reason=f"{why}; none in {tried}",
        places=_place(first, files),
    )


def _place(row: Row, files: Mapping[int, LogFile]) -> tuple[Place, ...]:
    return (files[row["file"]].place(row["line"]),)
