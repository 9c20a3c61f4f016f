"""The plain engine: reads and parses in process. The reference, and the quick way for a small log."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ...specs.machines import LEVELS
from ...traces.event import Continuation, Event, Irrelevant
from ...traces.layouts import Layout
from ...traces.parse import parse_line
from ...traces.sources import Lines, Source
from .lives import UNKNOWN_LEVEL, LogFile
from .report import FileFacts
from .run import Logs
from .table import PythonTable, Row

STATE_CHANGE = "state.change.logger"
OWN = (STATE_CHANGE, "kafka.controller")
_NUMBERS = re.compile(r"[0-9]+")
TEMPLATE_LENGTH = 160


def read_logs(
    sources: Sequence[tuple[int, Source]],
    layout: Layout | None = None,
    lossy: bool = False,
    advance: Callable[[int], None] = lambda files: None,
) -> tuple[Logs, list[FileFacts]]:
    """Read and parse all files; (cluster, source) pairs, numbered in this order."""
    rows: list[Row] = []
    files, facts = [], []
    for index, (cluster, source) in enumerate(sources):
        file, fact = _read(index, cluster, source, layout, lossy, rows)
        files.append(file)
        facts.append(fact)
        advance(1)
    return Logs(tuple(files), PythonTable(rows)), facts


def _read(
    index: int, cluster: int, source: Source, layout: Layout | None, lossy: bool, rows: list[Row]
) -> tuple[LogFile, FileFacts]:
    classes: Counter[str] = Counter({"understood": 0, "irrelevant": 0, "continuation": 0, "unknown": 0})
    per_row: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    level, first_ts, number, bearing, strangers, prefixed = UNKNOWN_LEVEL, None, 0, 0, 0, 0
    lines = Lines(source.path)
    for number, text in enumerate(lines, start=1):
        parsed = parse_line(text, layout)
        if isinstance(parsed, Continuation):
            classes["continuation"] += 1
            continue
        if first_ts is None:
            first_ts = parsed.ts
        if isinstance(parsed, Event):
            classes["understood"] += 1
            per_row[parsed.row] += 1
            rows.append({**parsed.__dict__, "file": index, "line": number})
        elif isinstance(parsed, Irrelevant):
            classes["irrelevant"] += 1
            per_row[parsed.row] += 1
        else:
            classes["unknown"] += 1
            unknown[template(text)] += 1
            bearing += parsed.logger == STATE_CHANGE or f"({STATE_CHANGE})" in text
            strangers += parsed.logger is not None and not parsed.logger.startswith(OWN)
        if isinstance(parsed, Event | Irrelevant) and parsed.row.startswith(("SC", "BR.")):
            if parsed.level in LEVELS:
                level = min(level, LEVELS.index(parsed.level))
            prefixed += text[:1] not in "[12"
    why = why_lossy(lossy, lines.problem, prefixed, strangers, any(row.startswith("SC") for row in per_row))
    facts = FileFacts(
        index=index,
        cluster=cluster,
        path=source.path,
        lines=number,
        coverage=dict(classes),
        rows=dict(per_row),
        unknown=dict(unknown),
        bearing_unknown=bearing,
        problem=lines.problem,
        lossy=why,
    )
    file = LogFile(index, cluster, source.path, source.directory, source.stream, first_ts, source.hour, level, why)
    return file, facts


def why_lossy(asked: bool, problem: str | None, prefixed: int, strangers: int, controller_lines: bool) -> str | None:
    """Why any line of a file may be missing; None if none is."""
    if asked:
        return "lines may be missing (--lossy)"
    if problem:
        return "cut: lines may be missing"
    if prefixed:
        return "a console copy, with a container's prefix: lines may be missing"
    if strangers and controller_lines:
        return "a console copy, with all loggers in one: lines may be missing"
    return None


def template(text: str) -> str:
    """An unknown line with its numbers masked, so that lines of one wording count together."""
    return _NUMBERS.sub("#", text[:TEMPLATE_LENGTH])
