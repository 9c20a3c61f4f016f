"""Requests that a controller sends to its own broker: their numbers tell of a life that began where no line says so.

A controller keeps one connection to its own broker for as long as it has its epoch: the correlation ids of what that
broker takes from it rise, and no request is there twice. (To another broker they begin anew when that one starts
again.) Where they begin anew under the same epoch, the cluster was wiped, or lines of another cluster follow; if
histories know of no other life there, the lines with which it began are missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ..fields import controller, speaker
from ..lines import CACHED, LEADER_AND_ISR_RECEIVED
from ..table.protocol import Column, Row, Table
from .spans import Span

_TENURE = ("file", "controller", "controller_epoch")
_LIFE = ("cluster", "life")
_REACH = ("since", "until")
"""A broker takes requests after the last line of the controller's, too."""
_REQUEST = (*_LIFE, *_TENURE, "row", "topic", "partition", "correlation_id")


def numbered(events: Table, spans: Sequence[Span]) -> list[Row]:
    """Look: by life, tenure, partition and number of a request that a controller's own broker took, its lines."""
    rows = [asdict(span) | {"controller_epoch": span.epoch} for span in spans]
    return (
        events.of_lines((*LEADER_AND_ISR_RECEIVED, *CACHED))
        .present(*_TENURE, "speaker", "correlation_id")
        .where(speaker.eq(controller))
        .joined(rows, _TENURE, dict.fromkeys(_LIFE, int), _REACH)
        .grouped(
            _REQUEST,
            first=Column("min", "line"),
            last=Column("max", "line"),
            first_ts=Column("min", "ts"),
            last_ts=Column("max", "ts"),
        )
        .rows()
    )


def begun_anew(rows: Iterable[Row]) -> frozenset[int]:
    """The clusters in which numbers begin anew within one life, from rows of `numbered`."""
    lines: dict[tuple[Any, ...], dict[int, tuple[int, int]]] = defaultdict(dict)
    found = set()
    for row in rows:
        if row["first_ts"] != row["last_ts"]:
            found.add(row["cluster"])
        numbers = lines[tuple(row[name] for name in (*_LIFE, *_TENURE))]
        first, last = numbers.get(row["correlation_id"], (row["first"], row["last"]))
        numbers[row["correlation_id"]] = min(first, row["first"]), max(last, row["last"])
    for (cluster, *_), numbers in lines.items():
        reached = 0
        for _, (first, last) in sorted(numbers.items()):
            if first < reached:
                found.add(cluster)
            reached = max(reached, last)
    return frozenset(found)
