"""The leader that each node of the metadata quorum knew, and when: from the states that it prints."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..files.file import LogFile
from ..lines import ACTIVE, LEADER_PRINTED, RENOUNCED
from ..sources.nodes.raft import STATE
from ..table.protocol import Row
from .moments import MOMENT

LEADER, FOLLOWER = "Leader", "Follower"
STOPS, LEADERLESS, TIMED_OUT = "raft-shuts-down", "controller-without-leader", "raft-fetch-timed-out"
_OPENED, _CREATED = "raft-log-opened", "controller-of-cluster"
"""Lines of a process that has just started; the second counts where no states of the node are there."""
_LED_BY = re.compile(r"leader(?:Id)?=(?:OptionalInt\[)?([0-9]+)")
_VOTING = ("Candidate", "Prospective", "Voted", LEADER, "Resigned")
"""States that only voters are in."""
_STILL = 1000
"""A node whose file goes on for so long, in milliseconds, still ran."""


@dataclass(frozen=True)
class Seen:
    """The leader that a node knew from a line on, or that it knew none."""

    node: int
    ts: int
    epoch: int | None
    """The epoch of the quorum; None where the line has none."""
    leader: int | None
    """The leader that it knew; None: none."""
    row: Row
    starts: bool = False
    """Its process has just started."""
    stopping: bool = False
    """Its process is shutting down in order."""

    @property
    def at(self) -> tuple[int, int]:
        return self.row["file"], self.row["line"]


@dataclass
class View:
    """The leaders that one node knew, in the order of time."""

    node: int
    seen: list[Seen] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    """The times at which a process of it began to shut down in order."""
    votes: bool = False
    """It is a voter."""
    until: int | None = None
    """The last time in its files."""

    @cached_property
    def times(self) -> list[int]:
        return [each.ts for each in self.seen]

    def at(self, ts: int) -> Seen | None:
        """Return what it knew at a time."""
        number = bisect_right(self.times, ts)
        return self.seen[number - 1] if number else None

    def between(self, since: int | None, until: int | None) -> Sequence[Seen]:
        """Return what it knew in a time, both ends included."""
        first = 0 if since is None else bisect_left(self.times, since)
        return self.seen[first : len(self.seen) if until is None else bisect_right(self.times, until)]

    def follows(self, epoch: int, ts: int) -> bool:
        """Return whether it ran and had the leader of an epoch at a time."""
        known = self.at(ts)
        if known is None or known.leader is None or known.epoch != epoch or known.stopping:
            return False
        if any(known.ts <= stop <= ts for stop in self.stops):
            return False
        number = bisect_right(self.times, ts)
        after = self.seen[number] if number < len(self.seen) else None
        runs = after is not None and not after.starts
        return runs or (after is None and self.until is not None and self.until >= ts + _STILL)

    def stopped_by(self, ts: int) -> bool:
        """Return whether its last process before a time was shut down in order, and none has begun since."""
        stop = max((each for each in self.stops if each <= ts), default=None)
        return stop is not None and not any(each.starts for each in self.between(stop + 1, ts))


@dataclass(frozen=True)
class Views:
    """The leaders that the nodes of a cluster knew."""

    of: Mapping[int, View]
    led: Mapping[int, tuple[int | None, int, Row]]
    """By epoch the first time at which a line shows its leader, the leader, and the line; no time where only the
    previous state of a later line shows it."""
    voters: frozenset[int]
    """The voters as printed last, or the nodes that act as such."""

    @property
    def majority(self) -> int:
        return len(self.voters) // 2 + 1

    def supports(self, epoch: int, ts: int) -> set[int]:
        """Return the voters that lead or follow in an epoch at a time; a leader whose lines are in no file may."""
        own = {node for node, view in self.of.items() if node in self.voters and view.follows(epoch, ts)}
        leader = self.led[epoch][1] if epoch in self.led else None
        return own | {leader} if own and leader is not None and leader not in self.of else own


def views(lines: Iterable[Row], rows: Iterable[Row], files: Mapping[int, LogFile]) -> dict[int, list[Views]]:
    """Return by cluster what its nodes knew, in each of its lives: epochs begin anew where disks are formatted again.

    Args:
        lines: nodes' lines about the quorum, as `walked` returns them.
        rows: the rows of the first look.
    """
    by_cluster: dict[int, list[Row]] = defaultdict(list)
    for row in lines:
        if row["ts"] is not None and row["node"] is not None:
            by_cluster[row["cluster"]].append(row)
    for row in rows:
        if row.get("kind") == MOMENT and row["row"] in (STOPS, LEADERLESS, TIMED_OUT, *SILENT) and row["file"] in files:
            who = row["speaker"]
            if row["ts"] is not None and who is not None:
                by_cluster[files[row["file"]].cluster].append(row | {"node": who})
    return {cluster: [_views(life, files) for life in _lives(own)] for cluster, own in by_cluster.items()}


def _lives(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the lines cut where the epoch of a node falls below what lines of this kind had before."""
    lives: dict[int, list[Row]] = defaultdict(list)
    last: dict[tuple[int, str], int] = {}
    begun: dict[int, list[int]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["ts"], row["file"], row["line"])):
        node, epoch = row["node"], row["raft_epoch"]
        own = begun[node]
        if epoch is not None and row["row"] in _NEVER_FALLING:
            key = node, _NEVER_FALLING[row["row"]]
            if epoch < last.get(key, epoch) and not (own and row["ts"] - own[-1] < _TOGETHER):
                own.append(row["ts"])
            last[key] = epoch
        lives[len(own)].append(row)
    return [lives[number] for number in sorted(lives)]


_TOGETHER = 300_000
"""The milliseconds within which all lines of a node show its new life."""
_NEVER_FALLING = {STATE: STATE} | dict.fromkeys((*ACTIVE, *LEADER_PRINTED, LEADERLESS), "controller")
"""Lines whose epochs never fall, by who prints them: a thread each."""


SILENT = ("raft-votes-missing",)
"""Lines of a node that stands for election: it knows no leader then."""


def _views(rows: Sequence[Row], files: Mapping[int, LogFile]) -> Views:
    of: dict[int, View] = {}
    printed: list[tuple[int, frozenset[int]]] = []
    previous: dict[int, tuple[int, Row]] = {}
    by_node: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["ts"], row["file"], row["line"])):
        by_node[row["node"]].append(row)
    for node, own in by_node.items():
        view = of[node] = View(node)
        states = any(row["row"] == STATE for row in own)
        opened = stopping = False
        begun = 0
        for row in own:
            view.until = max(view.until or 0, files[row["file"]].youngest or 0, row["ts"])
            if row["row"] == STOPS:
                view.stops.append(row["ts"])
                continue
            if row["row"] == _OPENED or (row["row"] == _CREATED and not states):
                opened = True
                continue
            seen = _seen(row, states)
            if seen is None:
                continue
            starts = opened or row.get("from_raft_state") == "null"
            stopping = bool(view.stops) and (stopping or begun < view.stops[-1]) and not starts
            begun = row["ts"] if starts else begun
            view.seen.append(replace(seen, starts=starts, stopping=stopping))
            opened = False
            if row["row"] == STATE:
                view.votes |= row["raft_state"] in _VOTING
                if row["replicas"]:
                    printed.append((row["ts"], frozenset(row["replicas"])))
                before = _before(row)
                if before is not None:
                    previous.setdefault(before[0], (before[1], row))
            elif row["row"] in (*ACTIVE, *RENOUNCED, *SILENT, TIMED_OUT):
                view.votes = True
    led: dict[int, tuple[int | None, int, Row]] = {}
    for seen in sorted((each for view in of.values() for each in view.seen), key=lambda each: (each.ts, each.at)):
        if seen.leader is not None and seen.epoch is not None:
            led.setdefault(seen.epoch, (seen.ts, seen.leader, seen.row))
    for epoch, (leader, row) in previous.items():
        if epoch not in led or (led[epoch][0] or 0) > row["ts"]:
            led[epoch] = None, leader, row
    acting = frozenset(node for node, view in of.items() if view.votes)
    return Views(of, dict(sorted(led.items())), max(printed)[1] if printed else acting)


def _seen(row: Row, states: bool) -> Seen | None:
    """Return what a line shows; lines without an epoch count only for nodes whose states are in no file."""
    node, ts, epoch = row["node"], row["ts"], row["raft_epoch"]
    if row["row"] == STATE:
        leader = node if row["raft_state"] == LEADER else row["leader"] if row["raft_state"] == FOLLOWER else None
        return Seen(node, ts, epoch, leader, row)
    if row["row"] in ACTIVE:
        return Seen(node, ts, epoch, node, row)
    if row["row"] in LEADER_PRINTED:
        return Seen(node, ts, epoch, row["leader"], row)
    if row["row"] in (*RENOUNCED, LEADERLESS) or (not states and row["row"] in (TIMED_OUT, *SILENT)):
        return Seen(node, ts, epoch, None, row)
    return None


def _before(row: Row) -> tuple[int, int] | None:
    """Return the epoch and the leader of the state before, if it had one."""
    state, epoch = (row["from_raft_state"] or "").removesuffix("State"), row["from_raft_epoch"]
    if state == LEADER and epoch is not None:
        return epoch, row["node"]
    by = _LED_BY.search(row["was"] or "") if state == FOLLOWER and epoch is not None else None
    return None if by is None else (epoch, int(by[1]))
