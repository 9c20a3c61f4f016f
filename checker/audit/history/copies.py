"""The streams to read of one tenure, and their order: copies of a log are read once.

A tenure can be in several streams: someone copied a log, or moved a part of it to another folder. One broker wrote them
all, so their times can be compared. A stream is not read if it is a copy of one that is read, or less than a copy of
it. Streams that overlap in time without being copies are read, and treated as lossy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..files.file import LogFile
from .statements import Run


class Copy(NamedTuple):
    """Two streams, one of which repeats the other."""

    stream: str
    original: str


@dataclass(frozen=True)
class StreamOrder:
    """The streams to read of one tenure."""

    streams: tuple[str, ...]
    """In the order of their times."""
    overlapping: frozenset[str]
    """Streams whose time another one also covers, with more of the tenure's lines: reading both finds some lines twice,
    and others not at all.
    """
    copies: tuple[Copy, ...]
    """Streams that are not read."""


@dataclass(frozen=True)
class _Total:
    """One stream's share of one tenure, in numbers; times in milliseconds."""

    stream: str
    first_ts: int
    last_ts: int
    moves: int
    created: int
    lossy: bool

    @staticmethod
    def of(stream: str, runs: Sequence[Run], files: Mapping[int, LogFile]) -> _Total:
        return _Total(
            stream,
            min((run.first_ts for run in runs if run.first_ts is not None), default=0),
            max((run.last_ts for run in runs if run.last_ts is not None), default=0),
            sum(run.moves for run in runs),
            sum(run.created for run in runs),
            any(files[run.file].lossy is not None or run.disordered for run in runs),
        )

    def repeats(self, other: _Total) -> bool:
        """Return whether this is a copy of the other, or less than one: such as a console's, where the log itself is
        available.
        """
        less = self.lossy and not other.lossy and self.moves <= other.moves
        return self.within(other) and (less or (self.moves, self.created) == (other.moves, other.created))

    def within(self, other: _Total) -> bool:
        return other.first_ts <= self.first_ts and self.last_ts <= other.last_ts

    def overlaps(self, other: _Total) -> bool:
        return self.first_ts < other.last_ts and other.first_ts < self.last_ts


def stream_order(runs: Sequence[Run], files: Mapping[int, LogFile]) -> StreamOrder:
    """Return the order of the streams of these runs of one tenure; `files` are by their index."""
    of_stream: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        of_stream[files[run.file].stream].append(run)
    moving = {stream for stream, own in of_stream.items() if any(files[run.file].machines for run in own)}
    read, overlapping, copies = _without_copies([_Total.of(name, of_stream[name], files) for name in sorted(moving)])
    inner = {total for total in overlapping if any(total.within(each) for each in read if each not in overlapping)}
    read.sort(key=lambda total: (total in inner, total.first_ts, total.last_ts, total.stream))
    return StreamOrder(
        (*(total.stream for total in read), *sorted(of_stream.keys() - moving)),
        frozenset(total.stream for total in overlapping),
        tuple(copies),
    )


def _without_copies(totals: Sequence[_Total]) -> tuple[list[_Total], set[_Total], list[Copy]]:
    """Return which of the streams to read, which of these overlap one with more lines, and which are copies."""
    read: list[_Total] = []
    overlapping: set[_Total] = set()
    copies: list[Copy] = []
    for total in sorted(totals, key=lambda total: (total.lossy, -total.moves, total.first_ts, total.stream)):
        others = [other for other in read if total.overlaps(other)]
        original = next((other for other in others if total.repeats(other)), None)
        if original is not None:
            copies.append(Copy(total.stream, original.stream))
            continue
        read.append(total)
        if others:
            overlapping.add(total)
    return read, overlapping, copies
