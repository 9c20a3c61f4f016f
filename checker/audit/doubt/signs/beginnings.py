"""Tenures whose start is missing.

* A controller that starts moves every live replica to OnlineReplica before it elects leaders. If an election fails
  before the first move of a replica, lines of the start are missing. (If no replica is moved at all, none may have
  been alive, or moves of replicas are not logged.)
* A broker caches what a controller has sent. If it caches something before the controller sends anything, in one
  stream, the lines between are missing.

If several streams have lines of a tenure, only the one with the earliest of them can show its start.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...fields import TENURE, from_state, to_state
from ...files.file import LogFile
from ...history.doubts import START_MISSING, TenureOfCluster
from ...history.spans import Span
from ...history.streams import streams
from ...lines import CACHED, MOVED, STOPPED, UPDATE_METADATA_SENT
from ...table.protocol import Column, Row, Table
from ..evidence import UNMOVED, Evidence
from ..sign import Sign

_KINDS = {"moved": MOVED["replica"], "failed": STOPPED["partition"], "sent": UPDATE_METADATA_SENT, "cached": CACHED}


def first_lines(events: Table, _: Sequence[Span] = ()) -> list[Row]:
    """Look: by tenure the first line of a kind, and its time."""
    first = {"line": Column("min", "line"), "ts": Column("min", "ts")}
    return [
        row | {"began": kind}
        for kind, lines in _KINDS.items()
        for row in _counted(events.of_lines(lines), kind).present(*TENURE, "ts").grouped(TENURE, **first).rows()
    ]


def _counted(lines: Table, kind: str) -> Table:
    """Return the lines; of failed moves, only elections of partitions that were offline."""
    offline, online = from_state("partition").eq("OfflinePartition"), to_state("partition").eq("OnlinePartition")
    return lines.where(offline & online) if kind == "failed" else lines


def start_missing(rows: Iterable[Row], files: Iterable[LogFile]) -> frozenset[TenureOfCluster]:
    """The tenures whose beginning is missing; `rows` are those of `first_lines`, of these files."""
    ordered = streams(tuple(files))
    places = {file.index: (file.cluster, number, i) for number, own in enumerate(ordered) for i, file in enumerate(own)}
    found: dict[tuple[TenureOfCluster, int], dict[str, tuple[int, tuple[int, int]]]] = defaultdict(dict)
    for row in rows:
        cluster, stream, i = places[row["file"]]
        first = found[(cluster, row["controller"], row["controller_epoch"]), stream]
        here = row["ts"], (i, row["line"])
        ts, place = first.get(row["began"], here)
        first[row["began"]] = min(ts, here[0]), min(place, here[1])
    earliest: dict[TenureOfCluster, int] = {}
    for (tenure, _), first in found.items():
        earliest[tenure] = min(_begins(first), earliest.get(tenure, _begins(first)))
    return frozenset(
        tenure
        for (tenure, _), first in found.items()
        if _begins(first) == earliest[tenure] and _lost_its_beginning(first)
    )


def _begins(first: Mapping[str, tuple[int, tuple[int, int]]]) -> int:
    return min(ts for ts, _ in first.values())


def _lost_its_beginning(first: Mapping[str, tuple[int, tuple[int, int]]]) -> bool:
    """`first`: by kind the earliest time and the first place."""
    if "failed" not in first:
        return False
    (_, failed), moved, sent, cached = first["failed"], first.get("moved"), first.get("sent"), first.get("cached")
    return (moved is not None and failed < moved[1]) or (cached is not None and (sent is None or cached[0] < sent[0]))


def _found(evidence: Evidence) -> Iterator[TenureOfCluster]:
    begun = start_missing(evidence.facts(SIGN.name), evidence.theirs.values())
    return (tenure for tenure in begun if evidence.numbers[tenure[0]][UNMOVED])


SIGN: Sign = Sign(
    "start-missing",
    "a controller elects or sends before it has started",
    START_MISSING,
    _found,
    look=first_lines,
    lines=tuple(line for lines in _KINDS.values() for line in lines),
)
