"""Partitions and the quorum as a tool showed them, at one moment: nothing is known before or after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..files.file import LogFile
from ..findings.happened import Happened
from ..table.protocol import Row
from .moments import MOMENT, TOOLS

_TOPIC, _PARTITION, _LEADER, _NODE = TOOLS
_UNDER_MIN, _BEHIND, _UNREACHABLE = "under-min-isr", "metadata-behind", "voter-unreachable"
_SILENT = 30_000
"""The milliseconds after the last fetch of a voter that show that it no longer fetches."""
_NUMBER = re.compile("-?[0-9]+")


@dataclass(frozen=True)
class _Node:
    """A node of the quorum, as kafka-metadata-quorum describe --replication prints it."""

    row: Row
    role: str
    lag: int
    fetched: int | None
    """The milliseconds since its last fetch: of times of the day, since the leader's; None: it never fetched."""
    caught_up: int | None
    """The same since it last had all that the leader has."""


def described(rows: Iterable[Row], files: Mapping[int, LogFile]) -> Iterator[tuple[int, Happened]]:
    """Yield by cluster what output of tools shows.

    Args:
        rows: the rows of the first look.
    """
    own = [row for row in rows if row.get("kind") == MOMENT and row["row"] in TOOLS and row["file"] in files]
    least: dict[tuple[int, str], int] = {}
    nodes: dict[int, list[Row]] = {}
    for row in sorted(own, key=lambda row: (row["file"], row["line"])):
        file = files[row["file"]]
        if row["row"] == _TOPIC:
            least[row["file"], row["topic"]] = int(row["said"])
        elif row["row"] == _NODE:
            nodes.setdefault(row["file"], []).append(row)
        else:
            yield file.cluster, _shown(row, row["said"], file)
        if row["row"] == _PARTITION and row["said"] != "offline":
            few, isr = least.get((row["file"], row["topic"]), 0), row["replicas"]
            if len(isr) < few:
                reason = f"min.insync.replicas is {few}"
                yield file.cluster, _shown(row, _UNDER_MIN, file, reason=reason)
    for index, several in nodes.items():
        for each in _behind(several, files[index]):
            yield files[index].cluster, each


def _shown(
    row: Row, what: str, file: LogFile, *, longest: int | None = None, reason: str | None = None, said: bool = True
) -> Happened:
    """Return an entry.

    Args:
        said: whether the line has a reason of its own.
    """
    return Happened(
        what,
        since=row["ts"],
        moment=True,
        node=row["node"],
        topic=row["topic"],
        partition=row["partition"],
        reason=reason,
        longest=longest,
        places=(file.place(row["line"]),),
        at=(row["file"], row["line"]) if said else None,
    )


def _behind(rows: Sequence[Row], file: LogFile) -> Iterator[Happened]:
    """Yield the nodes that are behind the leader, and voters that do not fetch from it."""
    every = [_node(row, rows) for row in rows]
    for each in every:
        if each.role == "Leader":
            continue
        records = f"{each.lag} record{'s' * (each.lag != 1)} behind"
        role = "voter" if each.role == "Follower" else "observer"
        if each.role == "Follower" and (each.fetched is None or each.fetched > _SILENT):
            since = (
                "it never fetched" if each.fetched is None else f"its last fetch was {each.fetched / 1000:.1f} s ago"
            )
            yield _shown(each.row, _UNREACHABLE, file, reason=f"{since}, {records}", said=False)
        elif each.lag > 0:
            yield _shown(each.row, _BEHIND, file, longest=each.caught_up, reason=f"{role}, {records}", said=False)


def _node(row: Row, rows: Sequence[Row]) -> _Node:
    role, lag, *times = re.split(r" (?=-?[0-9])", row["said"])
    leader = next(
        (re.split(r" (?=-?[0-9])", each["said"]) for each in rows if each["said"].startswith("Leader ")), None
    )
    now = [None, None] if leader is None else leader[2:]
    fetched, caught_up = (_ago(text, at) for text, at in zip(times, now, strict=True))
    return _Node(row, role, int(lag), fetched, caught_up)


def _ago(text: str, now: str | None) -> int | None:
    """Return the milliseconds since a time that is printed as such, or as how long ago it was."""
    number = int(_NUMBER.findall(text)[0])
    if number < 0:
        return None
    if text.endswith("ago"):
        return number
    return None if now is None else max(int(_NUMBER.findall(now)[0]) - number, 0)
