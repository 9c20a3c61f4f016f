"""The result of reading, for every engine: events, on which looks run where the events are.

A *look* is a function from a table of events to few rows. It runs on consecutive lines of files (`over_lines`), or on
all lines of some partitions (`over_partitions`), in this process or on Spark's workers; its rows come back here.
"""

from __future__ import annotations

import re
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
    """Do nothing: the no-op progress callback."""


@dataclass(frozen=True)
class Read:
    """The result of reading all files."""

    files: tuple[LogFile, ...]
    """The files of which something was read."""
    facts: tuple[FileFacts, ...]
    """The facts about all files, in the order of their numbers."""
    rows: list[Row]
    """The rows of the look."""

    @staticmethod
    def of(found: Iterable[tuple[LogFile, FileFacts]], rows: list[Row]) -> Read:
        """Return the result from the facts about each file, in order; a file of which nothing could be read does not
        exist for the audit.
        """
        both = without_other_programs(list(found))
        files = apart([file for file, fact in both if not fact.unread])
        return Read(tuple(files), tuple(fact for _, fact in both), rows)


_KAFKA = re.compile(r"kafka|broker|controller|state\.change", re.IGNORECASE)
_BESIDE_KAFKA = re.compile(
    r"kafka[-_.]?(?:ui|exporter|rest|manager|connect|cat|init|setup|topics?|producer|consumer|client|proxy|bridge)"
    r"|(?:create|init|setup)[-_.](?:kafka|topics?)|kafdrop|kafkacat|akhq",
    re.IGNORECASE,
)
"""Names of programs that people run beside Kafka."""


def without_other_programs(found: Sequence[tuple[LogFile, FileFacts]]) -> list[tuple[LogFile, FileFacts]]:
    """Return the facts without those of writers in a file of several that are not Kafka: nothing of theirs is known,
    and neither their names nor their lines speak of Kafka. The first writer that is left has a note that names them.
    """
    of_path: dict[tuple[int, str], list[FileFacts]] = defaultdict(list)
    for _, fact in found:
        of_path[fact.cluster, fact.path].append(fact)
    notes: dict[int, str] = {}
    gone: set[int] = set()
    for facts in of_path.values():
        others = [fact for fact in facts if _is_other_program(fact)]
        left = [fact.index for fact in facts if fact.coverage["understood"] or fact.coverage["irrelevant"]]
        if others and left:
            gone.update(fact.index for fact in others)
            notes[left[0]] = f"not Kafka: {', '.join(fact.label for fact in others)}"
    return [
        (file, replace(fact, notes=(*fact.notes, notes[fact.index])) if fact.index in notes else fact)
        for file, fact in found
        if fact.index not in gone
    ]


def _is_other_program(fact: FileFacts) -> bool:
    known = fact.coverage["understood"] or fact.coverage["irrelevant"] or fact.bearing_unknown or fact.resembling
    if not fact.label or known or any(map(_KAFKA.search, fact.unknown)):
        return False
    return _BESIDE_KAFKA.search(fact.label) is not None or _KAFKA.search(fact.label) is None


def apart(files: Sequence[LogFile]) -> list[LogFile]:
    """Return the files; those of one writer that overlap in time become streams of their own: exports that repeat
    lines.

    A log and its rotated files do not overlap. Repeated lines of one time are recognised like copies.
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

        Engines that can report progress call `advance` with the number of files read since the last call.
        """

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        """Look at the lines of some of the files again."""

    def close(self) -> None:
        """Release the lines that were read."""

    def over_partitions(self, look: Look) -> list[Row]:
        """Look at the lines of every partition, all lines of one partition in one table.

        Lines that name no partition are in each table, or at least in those that can need them: a throwable is where
        the line before it is.
        """
