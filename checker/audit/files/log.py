"""What reading gives, however it is done: events that can be looked at where they are.

A *look* is a function from a table of events to few rows. It is run on consecutive lines of files (`over_lines`), or on
all lines of some partitions (`over_partitions`), in this process or on Spark's workers; the rows come back here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from ..table.protocol import Row, Table
from .file import FileFacts, LogFile

Look = Callable[[Table], list[Row]]
LINES = ("line", "first", "last", "last_created", "run")
"""The columns of a look's rows that are numbers of lines; absent where there is none."""


def nothing(files: int) -> None:
    """Who does not ask how many files are read."""


@dataclass(frozen=True)
class Read:
    """`files`: those of which something was read. `facts`: of all, in the order of their numbers. `rows`: a look's."""

    files: tuple[LogFile, ...]
    facts: tuple[FileFacts, ...]
    rows: list[Row]

    @staticmethod
    def of(found: Iterable[tuple[LogFile, FileFacts]], rows: list[Row]) -> Read:
        """From what is known of each file, in order. Nothing could be read of a file: to the audit it is not there."""
        both = list(found)
        files = apart([file for file, fact in both if not fact.unread])
        return Read(tuple(files), tuple(fact for _, fact in both), rows)


def apart(files: Sequence[LogFile]) -> list[LogFile]:
    """The files; those of one writer that overlap in time are streams of their own: exports that repeat lines.

    What is a log and its rotated files does not overlap. Who has lines of one time twice is found out as for copies.
    """
    of_stream: dict[tuple[int, str], list[LogFile]] = defaultdict(list)
    for file in files:
        if file.label:
            of_stream[file.cluster, file.stream].append(file)
    overlapping = {key for key, own in of_stream.items() if _overlap(own)}
    return [
        replace(file, stream=f"{file.stream} in {file.path}") if (file.cluster, file.stream) in overlapping else file
        for file in files
    ]


def _overlap(files: Sequence[LogFile]) -> bool:
    spans = sorted(
        (file.oldest, file.youngest) for file in files if file.oldest is not None and file.youngest is not None
    )
    return any(after < before for (_, before), (after, _) in pairwise(spans))


class Log(Protocol):
    """The lines of the files of an audit. An event has the columns of its line, and `file` and `line`."""

    def read(self, look: Look, advance: Callable[[int], None] = ...) -> Read:
        """Read all files, and look at their lines: at pieces of consecutive lines, a file's in any number of pieces.

        `advance` is called with how many files more are read, by who can tell.
        """

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        """Look at the lines of some of the files once more."""

    def close(self) -> None:
        """Let go of what was read."""

    def over_partitions(self, look: Look) -> list[Row]:
        """Look at the lines of every partition, those of one in one table.

        Lines that name no partition are in each table, or at least in those that can need them: a throwable is where
        the line before it is.
        """
