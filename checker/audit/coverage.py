"""What is counted of a file's lines, and what that says about the file: one definition for every engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from ...specs.machines import LEVELS
from ...traces.sources import Source
from .lives import UNKNOWN_LEVEL, LogFile
from .report import FileFacts

STATE_CHANGE = "state.change.logger"
OWN = (STATE_CHANGE, "kafka.controller")
CLASSES = ("understood", "irrelevant", "continuation", "unknown")
TEMPLATE_LENGTH = 160
"""Of an unknown line so many characters are shown, its numbers masked, so that lines of one wording count together."""
TEMPLATES = 1_000
"""So many unknown templates of a file are counted, the commonest."""


class Kind(NamedTuple):
    """What is counted about one line. `row` and `level` are those of an understood or irrelevant line."""

    status: str
    row: str | None = None
    level: str | None = None
    prefixed: bool = False
    """Known, and something stands before its time: a container's name, say."""
    bearing: bool = False
    """Unknown, and of the state change logger: it may bear on a rule."""
    stranger: bool = False
    """Unknown, and of a logger that neither file of a controller has by default."""


@dataclass
class Coverage:
    """The lines of one file, by kind; the commonest unknown templates; the time of the first line that has one."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    first: tuple[int, int] | None = None
    """Number and time of that line."""

    def dated(self, line: int, ts: int) -> None:
        """A line that has a time, in any order."""
        if self.first is None or line < self.first[0]:
            self.first = line, ts


def facts(
    index: int, cluster: int, source: Source, seen: Coverage, problem: str | None, lossy: bool
) -> tuple[LogFile, FileFacts]:
    """What the audit and the report have to know about one file. `problem` is why it could not be read whole."""
    classes: Counter[str] = Counter(dict.fromkeys(CLASSES, 0))
    rows: Counter[str] = Counter()
    level, prefixed, bearing, strangers = UNKNOWN_LEVEL, 0, 0, 0
    for kind, n in seen.kinds.items():
        classes[kind.status] += n
        bearing += n * kind.bearing
        strangers += n * kind.stranger
        if kind.row is None:
            continue
        rows[kind.row] += n
        if kind.row.startswith(("SC", "BR.")):
            prefixed += n * kind.prefixed
            if kind.level in LEVELS:
                level = min(level, LEVELS.index(kind.level))
    why = _why_lossy(lossy, problem, prefixed, strangers, any(row.startswith("SC") for row in rows))
    told = FileFacts(
        index=index,
        cluster=cluster,
        path=source.path,
        lines=sum(classes.values()),
        coverage=dict(classes),
        rows=dict(rows),
        unknown=dict(sorted(seen.unknown.items(), key=lambda each: (-each[1], each[0]))[:TEMPLATES]),
        bearing_unknown=bearing,
        problem=problem,
        lossy=why,
    )
    first_ts = None if seen.first is None else seen.first[1]
    file = LogFile(index, cluster, source.path, source.directory, source.stream, first_ts, source.hour, level, why)
    return file, told


def _why_lossy(asked: bool, problem: str | None, prefixed: int, strangers: int, controller_lines: bool) -> str | None:
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
