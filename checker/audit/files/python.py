"""The plain engine: reads and parses in process. The reference, and the quick way for a small log."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from ....specs.lines import STATE_CHANGE
from ....traces.events.event import Continuation, Event, Unknown
from ....traces.events.layouts import Layout
from ....traces.events.parse import parse_line
from ....traces.sources.paths import Source
from ....traces.sources.text import Lines
from ..lines import OF_BROKERS
from ..table.protocol import Row, Table
from ..table.rows import PythonTable
from .coverage import (
    MOST_BROKEN,
    OWN,
    TEMPLATE_LENGTH,
    Coverage,
    Kind,
    facts,
)
from .file import FileFacts, LogFile
from .log import Look, Read, nothing

_NUMBERS = re.compile(r"[0-9]+")
_UNREAD = frozenset(OF_BROKERS)
_CONTINUATION = Kind("continuation")


class InProcess:
    """Files read by this process; see Log.

    Args:
        sources: (cluster, source) pairs, numbered in this order.
        lossy: lines may be missing anywhere.
        kept: the rows of the line table that looks over partitions get.
        table: makes a table of events: PythonTable, or columns.
        most: so many lines of partitions are looked at together, about; None leaves it to the table.
    """

    def __init__(
        self,
        sources: Sequence[tuple[int, Source]],
        layout: Layout | None,
        lossy: bool,
        kept: frozenset[str],
        table: Callable[[list[Row]], Table] = PythonTable,
        most: int | None = None,
    ) -> None:
        self._sources, self._layout, self._lossy, self._kept = sources, layout, lossy, kept
        self._table = table
        self._most = {} if most is None else {"most": most}
        self._events: Table = table([])

    def read(self, look: Look, advance: Callable[[int], None] = nothing) -> Read:
        events: list[Row] = []
        found = []
        for index, (cluster, source) in enumerate(self._sources):
            found.append(self._file(index, cluster, source, events))
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

    def _file(self, index: int, cluster: int, source: Source, rows: list[Row]) -> tuple[LogFile, FileFacts]:
        seen = Coverage()
        lines = Lines(source.path)
        for number, text in enumerate(lines, start=1):
            event = counted(number, text, self._layout, seen)
            if event is not None:
                rows.append({**event.__dict__, "file": index, "line": number})
        return facts(index, cluster, source, seen, lines.problem, self._lossy)


def counted(number: int, text: str, layout: Layout | None, seen: Coverage) -> Event | None:
    """Count a line; what it says, if it is understood and anything reads it."""
    parsed = parse_line(text, layout)
    if isinstance(parsed, Continuation):
        seen.kinds[_CONTINUATION] += 1
        return None
    if parsed.ts is not None:
        seen.dated(number, parsed.ts)
    if isinstance(parsed, Unknown):
        seen.unknown[template(text) if parsed.wrong is None else f"{parsed.wrong}: {template(text)}"] += 1
        bearing = parsed.logger == STATE_CHANGE or f"({STATE_CHANGE})" in text or parsed.wrong is not None
        stranger = parsed.logger is not None and not parsed.logger.startswith(OWN)
        broken = bearing or (parsed.logger is None and (text[:1] in "[12\0" or any(f"({own}" in text for own in OWN)))
        seen.kinds[Kind("unknown", bearing=bearing, stranger=stranger, broken=broken)] += 1
        if broken and len(seen.broken) <= MOST_BROKEN:
            seen.broken.append(number)
        return None
    understood = isinstance(parsed, Event)
    prefixed = text[:1] not in "[12"
    seen.kinds[Kind("understood" if understood else "irrelevant", parsed.row, parsed.level, prefixed)] += 1
    return parsed if isinstance(parsed, Event) and parsed.row not in _UNREAD else None


def template(text: str) -> str:
    """An unknown line with its numbers masked, so that lines of one wording count together."""
    return _NUMBERS.sub("#", text[:TEMPLATE_LENGTH])
