"""A user's restriction of the report: one partition, a stretch of time.

All lines are read and all histories fitted nevertheless: a line outside may be what a line inside contradicts. Only the
output is narrowed, in one place for findings, counts and timeline alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....model.expr import Expr, either, field
from ..fields import ts
from ..lines import BROKERS, LIVE_BROKERS, TOPIC_DELETED
from ..table.encoding import Flag
from ..table.protocol import Column, Row, Table
from .broker.hosted import HOSTED_LINES
from .observation import Names
from .order import NEAR

_FOR_NO_RULE = tuple(row for row in BROKERS if row not in HOSTED_LINES.lines)
"""Brokers' lines that are not about their replicas."""


@dataclass(frozen=True)
class Narrow:
    """A restriction. `since` and `until` are milliseconds as printed, both included. None: no restriction."""

    partition: tuple[str, int] | None = None
    since: int | None = None
    until: int | None = None

    def of(self, rows: Table) -> Table:
        """Return the requested rows. A row without a time matches any time, one without a partition matches no
        partition.
        """
        return self.in_time(self.about_partition(rows))

    def about_partition(self, rows: Table) -> Table:
        if self.partition is None:
            return rows
        return rows.joined([dict(zip(NEAR, self.partition, strict=True))], NEAR, {})

    def in_time(self, rows: Table) -> Table:
        if self.since is None and self.until is None:
            return rows
        outside = either(*self._too_early(), *self._too_late())
        return rows.derive(outside=outside).where(~field("outside", Flag))

    def _too_early(self) -> tuple[Expr, ...]:
        return () if self.since is None else (ts < self.since,)

    def _too_late(self) -> tuple[Expr, ...]:
        return () if self.until is None else (ts > self.until,)

    def overlaps(self, topic: str, partition: int, since: int | None, until: int | None) -> bool:
        """Return whether a stretch of a partition's time is requested; None: that end is not known."""
        if self.partition not in (None, (topic, partition)):
            return False
        early = self.since is not None and until is not None and until < self.since
        late = self.until is not None and since is not None and since > self.until
        return not early and not late

    def has(self, ts: int, partition: tuple[str, int] | None = None) -> bool:
        """Return whether an event at a time is requested. An event without a partition is requested where none is
        named.
        """
        topic, number = partition or ("", -1)
        return self.overlaps(topic, number, ts, ts)

    def nearest(self, events: Table) -> list[Row]:
        """Return each partition with its `first` and `last` time, and the number of `lines` in the requested stretch; a
        look.

        `before` and `after` are the times nearest to the stretch; absent where there is none, or the stretch has no
        such end.
        """
        return self.nearest_in(events.without_lines((*LIVE_BROKERS, *TOPIC_DELETED, *_FOR_NO_RULE)))

    def nearest_in(self, rows: Table, of: Names = NEAR) -> list[Row]:
        """Return the same for any rows, grouped by some columns."""
        early, late = either(*self._too_early()), either(*self._too_late())
        found = rows.grouped(
            of,
            lines=Column("count", where=~(early | late)),
            first=Column("min", "ts"),
            last=Column("max", "ts"),
            before=Column("max", "ts", early),
            after=Column("min", "ts", late),
        )
        return found.rows()


EVERYTHING = Narrow()


def scope(events: Table, hosted: Table) -> list[Row]:
    """Return by cluster the numbers of controllers' `lines`, of `partitions` in them, and of `replicas` in brokers'
    lines; a look.
    """
    by_replica = hosted.grouped(("cluster", "broker", *NEAR), n=Column("count"))
    replicas = by_replica.grouped(("cluster",), replicas=Column("count", "partition")).rows()
    by_partition = events.present("cluster").grouped(("cluster", *NEAR), n=Column("count"))
    sizes = by_partition.grouped(("cluster",), lines=Column("sum", "n"), partitions=Column("count", "partition")).rows()
    return [*sizes, *replicas]
