"""Brokers' failures with a partition: they could not follow its leader, or append what producers sent. Not a verdict.

A controller that leaves a dead leader shows on brokers: those that it instructs to follow do not find the leader alive.
A leader whose ISR lacks members refuses what producers send with acks=all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....model.expr import field
from ....model.sorts import Int
from ....traces.place import Place
from ..files.file import LogFile
from ..lines import APPEND_REFUSED, LEADER_UNAVAILABLE
from ..observe.broker.hosted import MERGED
from ..observe.order import NEAR
from ..table.protocol import Column, Row, Table

FOLLOW, APPEND = "follow", "append"
REFUSALS = 10_000
"""The most refusals of a cluster that are shown."""
_KEY = ("cluster", "life", "journal", "broker", "row", *NEAR)


@dataclass(frozen=True)
class Refusal:
    """A broker could not `follow` a leader that it does not consider alive, or did not `append` what producers sent."""

    kind: str
    topic: str
    partition: int
    life: int | None
    broker: int
    lines: int
    """The number of lines that say so."""
    place: Place
    """The first of these lines."""
    since: int | None
    """The time of the first line, in milliseconds as printed."""
    until: int | None
    """The time of the last line."""


def refusals(hosted: Table) -> list[Row]:
    """Return a row for each broker, partition and kind; a look."""
    own = hosted.of_lines(LEADER_UNAVAILABLE + APPEND_REFUSED)
    counted = own.grouped(_KEY, lines=Column("count"), since=Column("min", "ts"), until=Column("max", "ts"))
    first = own.along(_KEY, MERGED, earlier=Column("so_far")).where(field("earlier", Int()).eq(0))
    return first.attached(counted, _KEY, ("lines", "since", "until")).select(*_KEY, *_SHOWN_BY).rows()


_SHOWN_BY = ("file", "line", "lines", "since", "until")


def refused(rows: Iterable[Row], files: Mapping[int, LogFile]) -> tuple[Refusal, ...]:
    """Return the refusals of one cluster, by partition, then by time."""
    found = [
        Refusal(
            kind=FOLLOW if row["row"] in LEADER_UNAVAILABLE else APPEND,
            place=files[row["file"]].place(row["line"]),
            **{name: row[name] for name in ("topic", "partition", "life", "broker", "lines", "since", "until")},
        )
        for row in rows
    ]
    found.sort(key=lambda each: (each.topic, each.partition, each.since or 0, each.broker, each.kind, each.place.order))
    return tuple(found[:REFUSALS])
