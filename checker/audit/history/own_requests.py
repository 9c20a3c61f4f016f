"""Requests that a controller sends to its own broker: their numbers tell of a life that began where no line says so.

A controller keeps one connection to its own broker for as long as it has its epoch: the correlation ids of what that
broker takes from it rise, and no request is there twice. (To another broker they begin anew when that one starts
again.) Where they begin anew under the same epoch, the cluster was wiped, or lines of another cluster follow; if
histories know of no other life there, the lines with which it began are missing. Up to 0.8 a controller counts what it
sends to all brokers, and prints the number as it sends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ..fields import controller, speaker
from ..files.file import JITTER
from ..lines import CACHED, LEADER_AND_ISR_RECEIVED, LEADER_AND_ISR_SENT, UPDATE_METADATA_SENT
from ..table.protocol import Column, Row, Table
from .spans import Span

_TENURE = ("file", "controller", "controller_epoch")
_LIFE = ("cluster", "life")
_REACH = ("since", "until")
"""A broker takes requests after the last line of the controller's, too."""
_SENT = (*LEADER_AND_ISR_SENT, *UPDATE_METADATA_SENT)
_REQUEST = (*_LIFE, *_TENURE, "row", "topic", "partition", "correlation_id")


def numbered(events: Table, spans: Sequence[Span]) -> list[Row]:
    """Look: by life, tenure, partition and number of a request that a controller's own broker took, its lines.

    And those of what a controller sends, if it prints the number.
    """
    rows = [asdict(span) | {"controller_epoch": span.epoch} for span in spans]
    taken = events.of_lines((*LEADER_AND_ISR_RECEIVED, *CACHED)).where(speaker.eq(controller))
    return (
        taken.plus(events.of_lines(_SENT))
        .present(*_TENURE, "correlation_id")
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
        if row["last_ts"] is not None and row["last_ts"] > row["first_ts"] + JITTER:  # one is sent to several brokers
            found.add(row["cluster"])
        numbers = lines[(*(row[name] for name in (*_LIFE, *_TENURE)), row["row"] in _SENT)]
        first, last = numbers.get(row["correlation_id"], (row["first"], row["last"]))
        numbers[row["correlation_id"]] = min(first, row["first"]), max(last, row["last"])
    for (cluster, *_), numbers in lines.items():
        reached = 0
        for _, (first, last) in sorted(numbers.items()):
            if first < reached:
                found.add(cluster)
            reached = max(reached, last)
    return frozenset(found)
