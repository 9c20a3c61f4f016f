"""The times in which each KRaft controller was active, according to its own lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from ...lines import ACTIVE, CLUSTER_PRINTED, LEADER_PRINTED, RENOUNCED
from ...table.protocol import Row


class Turn(NamedTuple):
    """A line after which a controller is active in a raft epoch, or, where `epoch` is None, is a standby."""

    line: int
    ts: int | None
    epoch: int | None


Turns = Mapping[tuple[int, int], Sequence[Turn]]
"""Turns by file and node, in the order of lines."""


def turns(raft_lines: Iterable[Row]) -> Turns:
    """Return all turns in lines that raft.walked has put in order. A controller that starts is a standby at first."""
    found: dict[tuple[int, int], list[Turn]] = defaultdict(list)
    for row in raft_lines:
        if row["node"] is None:
            continue
        another_leads = row["row"] in LEADER_PRINTED and row["leader"] != row["node"]
        if row["row"] in ACTIVE:
            found[row["file"], row["node"]].append(Turn(row["line"], row["ts"], row["raft_epoch"]))
        elif row["row"] in (*RENOUNCED, *CLUSTER_PRINTED) or another_leads:
            found[row["file"], row["node"]].append(Turn(row["line"], row["ts"], None))
    return found


def last_turn(of: Turns, file: int, node: int | None, line: int) -> Turn | None:
    """Return the last turn of a node before a line of a file; None: there is none."""
    own = of.get((file, node), ()) if node is not None else ()
    at = bisect_left(own, line, key=attrgetter("line"))
    return own[at - 1] if at > 0 else None
