"""The brokers over time: alive or not, and controller; as far as controllers print it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ....traces.place import Place
from ..files.file import LogFile
from ..lines import LIVE_BROKERS
from ..observe.narrow import Narrow
from ..table.protocol import Column, Row, Table

_TENURE = ("cluster", "life", "controller_epoch", "controller")


@dataclass(frozen=True)
class TenureTimes:
    """A broker's time as controller."""

    life: int
    controller_epoch: int
    controller: int
    first: int | None
    """The time of its first line about any partition, in milliseconds as printed."""
    last: int | None
    """The time of its last line about any partition."""


@dataclass(frozen=True)
class LiveBrokers:
    """The brokers that a controller considered alive at `ts`, as one of its lines names them."""

    ts: int
    controller: int
    brokers: tuple[int, ...]
    place: Place


@dataclass(frozen=True)
class BrokerTimeline:
    """The controllers' tenures, and the live brokers that they print."""

    tenures: tuple[TenureTimes, ...] = ()
    """By life and epoch."""
    live: tuple[LiveBrokers, ...] = ()
    """By time, each controller's own clock."""


def tenures(placed: Table, narrow: Narrow) -> list[Row]:
    """Return the first and the last time of each tenure's lines; a look."""
    times = {"first": Column("min", "ts"), "last": Column("max", "ts")}
    return narrow.in_time(placed.present(*_TENURE)).grouped(_TENURE, **times).rows()


def live_brokers(events: Table, narrow: Narrow) -> list[Row]:
    """Return the lines that name all live brokers; a look."""
    reported = events.of_lines(LIVE_BROKERS).present("controller", "brokers", "ts")
    return narrow.in_time(reported.select("file", "line", "ts", "controller", "brokers")).rows()


def broker_timelines(
    of_tenures: Iterable[Row], live: Iterable[Row], files: Mapping[int, LogFile]
) -> dict[int, BrokerTimeline]:
    """Return timelines by cluster from the looks' rows over several tables; lines that name no partition may be in
    each.
    """
    times: dict[tuple[int, ...], list[int]] = {}
    for row in of_tenures:
        own = times.setdefault(tuple(row[name] for name in _TENURE), [])
        own += [row[name] for name in ("first", "last") if row[name] is not None]
    found = [
        (cluster, TenureTimes(life, epoch, who, min(own, default=None), max(own, default=None)))
        for (cluster, life, epoch, who), own in sorted(times.items())
    ]
    lines = {(row["file"], row["line"]): row for row in live}
    ordered = sorted(lines.values(), key=lambda row: (row["ts"], row["file"], row["line"]))
    reported = [(files[row["file"]].cluster, _live(row, files)) for row in ordered]
    return {
        cluster: BrokerTimeline(
            tuple(tenure for of, tenure in found if of == cluster),
            tuple(each for of, each in reported if of == cluster),
        )
        for cluster in sorted({file.cluster for file in files.values()})
    }


def _live(row: Row, files: Mapping[int, LogFile]) -> LiveBrokers:
    place = files[row["file"]].place(row["line"])
    return LiveBrokers(row["ts"], row["controller"], tuple(sorted(row["brokers"])), place)
