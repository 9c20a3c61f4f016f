"""The plain engine: reads and parses in this process. It is the reference, and the fastest way for a small log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ....traces.formats.detect import Asked, detect
from ....traces.sources.paths import Source
from ..table.protocol import Row, Table
from ..table.rows import PythonTable
from .coverage import facts
from .file import FileFacts, LogFile
from .log import Look, Read, nothing
from .streams import read_streams


class InProcess:
    """Files read by this process; see Log.

    Args:
        sources: (cluster, source) pairs, numbered in this order.
        asked: the user's statements about their format.
        lossy: lines may be missing anywhere.
        kept: the rows of the line table that looks over partitions get.
        table: makes a table of events: PythonTable, or columns.
        most: about the number of lines of partitions that are looked at together; None: the table's default.
    """

    def __init__(
        self,
        sources: Sequence[tuple[int, Source]],
        asked: Asked,
        lossy: bool,
        kept: frozenset[str],
        table: Callable[[list[Row]], Table] = PythonTable,
        most: int | None = None,
    ) -> None:
        self._sources, self._asked, self._lossy, self._kept = sources, asked, lossy, kept
        self._table = table
        self._most = {} if most is None else {"most": most}
        self._events: Table = table([])

    def read(self, look: Look, advance: Callable[[int], None] = nothing) -> Read:
        events: list[Row] = []
        found: list[tuple[LogFile, FileFacts]] = []
        for cluster, source in self._sources:
            found += self._file(len(found), cluster, source, events)
            advance(1)
        self._events = self._table(events)
        return Read.of(found, [row for part in self._events.apart(("file",), **self._most) for row in look(part)])

    def over_lines(self, look: Look, files: Collection[int]) -> list[Row]:
        asked = [{"file": file} for file in files]
        return look(self._events.joined(asked, ("file",), {}))

    def close(self) -> None:
        self._events = self._table([])

    def over_partitions(self, look: Look) -> list[Row]:
        kept = self._events.of_lines(self._kept)
        return [row for part in kept.apart(("topic", "partition"), **self._most) for row in look(part)]

    def _file(self, index: int, cluster: int, source: Source, rows: list[Row]) -> list[tuple[LogFile, FileFacts]]:
        """Return each stream of a file, numbered from `index` on, in the order of their labels."""
        how = detect(source.there, self._asked)
        read = read_streams(source.there, how, self._asked.layout)
        found = []
        for number, each in enumerate(read.streams, start=index):
            for row in each.rows:
                row["file"] = number
            rows += each.rows
            found.append(
                facts(number, cluster, source, each.seen, source.problem or read.problem, self._lossy, each.facts)
            )
        return found
