"""Streams: the files of each stream in order, and the blocks of their lines.

A *stream* is one log of one broker, with its rotated files. Its files are ordered by their own first time stamps;
nothing here compares the clocks of two brokers.

A *block* is a stretch of a stream from which no line is missing. A new block begins after a rotated file that is absent
(an hour, a day, or a number), at a broken line, where a lossy file is followed by one that is not lossy, and where a
stretch begins or ends in which less was logged (doubt/signs/levels.py).
Lossy lines within a block are marked on its spans. Blocks are numbered from 0, upwards along a stream; no two streams
have one in common.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..files.file import LogFile


def streams(files: Sequence[LogFile]) -> list[list[LogFile]]:
    """Return the files of each stream, oldest first. A file without a time stamp comes first: it states nothing
    anyway.
    """
    found: dict[tuple[int, str], list[LogFile]] = defaultdict(list)
    for file in files:
        found[file.cluster, file.stream].append(file)
    for stream in found.values():
        stream.sort(key=lambda file: (file.first_ts or 0, file.path))
    return [found[key] for key in sorted(found)]


@dataclass(frozen=True)
class Position:
    """The place of a file in its stream, and the blocks of its lines."""

    index: int
    """The number of the file in the stream, from 0."""
    first_block: int
    """The block of its first line."""
    cuts: tuple[int, ...]
    """Broken lines, each of which begins another block."""
    joints: tuple[int, ...] = ()
    """Complete lines, each of which begins another block."""

    def block(self, line: int) -> int:
        return self.first_block + bisect_right(self.cuts, line) + bisect_right(self.joints, line)

    def between_cuts(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return the lines first..last without those at cuts, as stretches (first, last) of one block each."""
        edges = {line: line + 1 for line in self.cuts if first < line < last}
        edges |= {line: edges.get(line, line) for line in self.joints if first < line <= last}
        between = zip(
            [first, *(edges[at] for at in sorted(edges))], [*(at - 1 for at in sorted(edges)), last], strict=True
        )
        return [(a, b) for a, b in between if a <= b]


def positions(
    streams: Sequence[Sequence[LogFile]],
    cuts: Mapping[int, Sequence[int]],
    joints: Mapping[int, Sequence[int]] | None = None,
) -> dict[int, Position]:
    """Return the positions of all files, by their index.

    Args:
        cuts: by the index of a file, the broken lines at which a block begins, in order.
        joints: the same for complete lines.
    """
    found: dict[int, Position] = {}
    block = 0
    for stream in streams:
        numbers = [file.number for file in stream if file.number is not None]
        rising, known = len(numbers) > 1 and numbers[0] < numbers[-1], frozenset(numbers)
        for i, file in enumerate(stream):
            if i and _missing_between(stream[i - 1], file, known, rising):
                block += 1
            whole = tuple((joints or {}).get(file.index, ()))
            found[file.index] = Position(i, block, tuple(cuts[file.index]), whole)
            block += len(cuts[file.index]) + len(whole)
        block += 1
    return found


def _missing_between(before: LogFile, after: LogFile, numbers: frozenset[int], rising: bool) -> bool:
    """Return whether lines may be missing between two files of a stream.

    Args:
        numbers: those of all its files; `rising`: they rise with time.
    """
    numbered = _number_missing(before.number, after.number, numbers, rising)
    return _hour_missing(before, after) or numbered or _cut_off(before, after)


def _hour_missing(before: LogFile, after: LogFile) -> bool:
    return before.hour is not None and after.hour is not None and after.hour > before.hour + before.hours


def _cut_off(before: LogFile, after: LogFile) -> bool:
    """Return whether lines may be missing at the end of the first file, and none in the second."""
    return before.lossy is not None and after.lossy is None


def _number_missing(before: int | None, after: int | None, numbers: frozenset[int], rising: bool) -> bool:
    """Return whether a number lies between those of two files; the newest file often has none."""
    if before is None:
        return False
    if after is None:  # Where numbers fall with time, the newest follows number 1, otherwise the largest.
        return not rising and before > 1
    return any(number not in numbers for number in range(min(before, after) + 1, max(before, after)))
