"""The plain engine: reads and parses in process. The reference, and the quick way for a small log."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ....specs.lines import STATE_CHANGE
from ....traces.events.event import Continuation, Event, Unknown
from ....traces.events.layouts import Layout
from ....traces.events.parse import parse_line
from ....traces.sources import Lines, Source
from ..history.statements import LogFile
from ..pipeline import Logs
from ..report.model import FileFacts
from ..table.protocol import PythonTable, Row
from .coverage import (
    MOST_BROKEN,
    OWN,
    TEMPLATE_LENGTH,
    Coverage,
    Kind,
    facts,
)

_NUMBERS = re.compile(r"[0-9]+")
_CONTINUATION = Kind("continuation")


def read_logs(
    sources: Sequence[tuple[int, Source]],
    layout: Layout | None = None,
    lossy: bool = False,
    advance: Callable[[int], None] = lambda files: None,
) -> tuple[Logs, list[FileFacts]]:
    """Read and parse all files; (cluster, source) pairs, numbered in this order."""
    rows: list[Row] = []
    files, told = [], []
    for index, (cluster, source) in enumerate(sources):
        file, fact = _read(index, cluster, source, layout, lossy, rows)
        told.append(fact)
        if not fact.unread:
            files.append(file)
        advance(1)
    return Logs(tuple(files), PythonTable(rows)), told


def _read(
    index: int, cluster: int, source: Source, layout: Layout | None, lossy: bool, rows: list[Row]
) -> tuple[LogFile, FileFacts]:
    seen = Coverage()
    lines = Lines(source.path)
    for number, text in enumerate(lines, start=1):
        event = counted(number, text, layout, seen)
        if event is not None:
            rows.append({**event.__dict__, "file": index, "line": number})
    return facts(index, cluster, source, seen, lines.problem, lossy)


def counted(number: int, text: str, layout: Layout | None, seen: Coverage) -> Event | None:
    """Count a line; what it says, if it is understood."""
    parsed = parse_line(text, layout)
    if isinstance(parsed, Continuation):
        seen.kinds[_CONTINUATION] += 1
        return None
    if parsed.ts is not None:
        seen.dated(number, parsed.ts)
    if isinstance(parsed, Unknown):
        seen.unknown[template(text)] += 1
        bearing = parsed.logger == STATE_CHANGE or f"({STATE_CHANGE})" in text
        stranger = parsed.logger is not None and not parsed.logger.startswith(OWN)
        broken = bearing or (parsed.logger is None and text[:1] in "[12\0")
        seen.kinds[Kind("unknown", bearing=bearing, stranger=stranger, broken=broken)] += 1
        if broken and len(seen.broken) <= MOST_BROKEN:
            seen.broken.append(number)
        return None
    understood = isinstance(parsed, Event)
    prefixed = text[:1] not in "[12"
    seen.kinds[Kind("understood" if understood else "irrelevant", parsed.row, parsed.level, prefixed)] += 1
    return parsed if isinstance(parsed, Event) else None


def template(text: str) -> str:
    """An unknown line with its numbers masked, so that lines of one wording count together."""
    return _NUMBERS.sub("#", text[:TEMPLATE_LENGTH])
