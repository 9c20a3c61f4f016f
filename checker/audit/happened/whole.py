"""Stretches of a log in which no line may be missing: only there does silence show anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..files.file import LogFile
from ..history.streams import Position, positions, streams
from ..table.protocol import Row


@dataclass(frozen=True)
class Whole:
    """The places in streams at which lines may be missing."""

    files: Mapping[int, LogFile]
    positions: Mapping[int, Position]

    @staticmethod
    def of(files: Mapping[int, LogFile]) -> Whole:
        own = tuple(files.values())
        return Whole(files, positions(streams(own), {each.index: each.broken for each in own}))

    def between(self, first: Row, last: Row) -> bool:
        """Return whether two lines are of one stream, and none between them is missing."""
        begin, end = (self.positions[row["file"]] for row in (first, last))
        if begin.block(first["line"]) != end.block(last["line"]):
            return False
        stream = self.files[first["file"]].stream
        between = [each for each in self.files.values() if each.stream == stream]
        return not any(each.lossy for each in between if begin.index <= self.positions[each.index].index <= end.index)
