"""Counts of a file's lines, and what they say about the file: one definition for every engine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ....specs.lines import STATE_CHANGE, rows, rows_with
from ....specs.machines import LEVELS
from ....traces.formats.dumps import is_state
from ....traces.formats.reading import Numbering
from ....traces.sources.paths import Source
from ....traces.sources.paths import source as source_of
from ..lines import CONTROLLER_LINES, REASONS, STOPPED
from .file import CLOCK_PUT_BACK, OTHER_LOGS, UNKNOWN_LEVEL, FileFacts, LogFile, LoggedError

OWN = (STATE_CHANGE, "kafka.controller")
_STATE_CHANGES = frozenset(rows_with(family=STATE_CHANGE))
_OTHER_STREAMS = frozenset(os.path.basename(source_of(name).stream) for name in OTHER_LOGS)
_STRANGERS = frozenset(row.id for row in rows().values() if row.loggers and row.family is None)
"""Rows of loggers that by default write to neither file of a controller."""
CLASSES = ("understood", "irrelevant", "continuation", "unknown")
TEMPLATE_LENGTH = 160
"""The number of characters shown of an unknown line with masked numbers, so that lines of one wording count
together.
"""
_COUNTED = 10_000
"""The most unknown templates that are counted in one piece of a file."""
TEMPLATES = 1_000
"""The most unknown templates of a file that are counted, the most frequent."""
MOST_BROKEN = 1_000
"""The most broken lines of a file that are named; beyond that, any line may be missing."""


_STOPPED = tuple(row for lines in STOPPED.values() for row in lines)


class Kind(NamedTuple):
    """The class of one line. `row` and `level` are those of an understood or irrelevant line."""

    status: str
    row: str | None = None
    level: str | None = None
    prefixed: bool = False
    """Known, with a prefix before its time, such as a container's name."""
    bearing: bool = False
    """Unknown, and from the state change logger: it may bear on a rule."""
    stranger: bool = False
    """Unknown, and from a logger that by default writes to neither file of a controller."""
    broken: bool = False
    """Unknown, and broken: the part that is cut off, and lines after it, may have borne on a rule."""
    resembling: bool = False
    """Unknown, and not bearing, but it begins as a line that bears on a rule does."""


@dataclass(frozen=True)
class Stream:
    """The facts about a stream of a file besides its lines; FileFacts describes each."""

    label: str = ""
    read_as: str | None = None
    unknown_layout: str | None = None
    label_is_path: bool = False
    lossy: str | None = None
    zone: int | None = None
    notes: tuple[str, ...] = ()
    numbering: Numbering | None = None


ONE_STREAM = Stream()


@dataclass
class Coverage:
    """The counted lines of one file."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    """Lines by kind."""
    unknown: Counter[str] = field(default_factory=Counter)
    """The most frequent unknown templates."""
    first: tuple[int, int] | None = None
    """Number and time of the first line with a time."""
    last: tuple[int, int] | None = None
    """Number and time of the last line with a time."""
    oldest: int | None = None
    """The smallest time."""
    youngest: int | None = None
    """The greatest time."""
    broken: list[int] = field(default_factory=list)
    """The numbers of broken lines, at most MOST_BROKEN + 1."""
    no_text: list[int] = field(default_factory=list)
    """The numbers of those of them that hold bytes of no text, at most MOST_BROKEN + 1."""
    errors: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Lines of level ERROR or FATAL that nothing uses, by template: how many, and the number of the first."""

    def failed(self, text: str, line: int, n: int = 1) -> None:
        """Add lines of level ERROR or FATAL that nothing uses."""
        if text in self.errors or len(self.errors) < TEMPLATES:
            before, first = self.errors.get(text, (0, line))
            self.errors[text] = before + n, min(first, line)

    def dated(self, line: int, ts: int) -> None:
        """Add a line that has a time, in any order."""
        if self.first is None or line < self.first[0]:
            self.first = line, ts
        if self.last is None or line > self.last[0]:
            self.last = line, ts
        self.oldest = ts if self.oldest is None else min(self.oldest, ts)
        self.youngest = ts if self.youngest is None else max(self.youngest, ts)

    def goes_back(self) -> bool:
        """Return whether times go back by more than a clock adjustment, as far as the ends of the file show."""
        if self.first is None or self.last is None or self.oldest is None or self.youngest is None:
            return False
        return self.oldest < self.first[1] - CLOCK_PUT_BACK or self.last[1] < self.youngest - CLOCK_PUT_BACK

    def add(self, other: Coverage, shift: int = 0) -> None:
        """Add the counts of other lines of the file, whose numbers are too small by `shift`."""
        self.kinds.update(other.kinds)
        self.unknown.update(other.unknown)
        for text, (n, first) in other.errors.items():
            self.failed(text, first + shift, n)
        for end in (other.first, other.last):
            if end is not None:
                self.dated(end[0] + shift, end[1])
        for ts in (other.oldest, other.youngest):
            if ts is not None:
                self.oldest = ts if self.oldest is None else min(self.oldest, ts)
                self.youngest = ts if self.youngest is None else max(self.youngest, ts)
        self.broken = sorted([*self.broken, *(line + shift for line in other.broken)])[: MOST_BROKEN + 1]
        self.no_text = sorted([*self.no_text, *(line + shift for line in other.no_text)])[: MOST_BROKEN + 1]

    def as_json(self) -> list[Any]:
        """Return lists that JSON can hold; `from_json` is the inverse."""
        common = sorted(self.unknown.items(), key=lambda each: (-each[1], each[0]))[:_COUNTED]
        ends = [self.first, self.last, self.oldest, self.youngest]
        errors = [[text, *found] for text, found in self.errors.items()]
        return [[[*kind, n] for kind, n in self.kinds.items()], common, ends, self.broken, self.no_text, errors]

    @staticmethod
    def from_json(shown: Sequence[Any]) -> Coverage:
        kinds, unknown, (first, last, oldest, youngest), broken, no_text, errors = shown
        return Coverage(
            Counter({Kind(*kind): n for *kind, n in kinds}),
            Counter(dict(unknown)),
            None if first is None else tuple(first),
            None if last is None else tuple(last),
            oldest,
            youngest,
            broken,
            no_text,
            {text: (n, line) for text, n, line in errors},
        )


def facts(
    index: int,
    cluster: int,
    source: Source,
    seen: Coverage,
    problem: str | None,
    lossy: bool,
    stream: Stream = ONE_STREAM,
) -> tuple[LogFile, FileFacts]:
    """Return the facts about one file for the audit and for the report. `problem` says why it could not be read
    whole.
    """
    classes: Counter[str] = Counter(dict.fromkeys(CLASSES, 0))
    by_row: Counter[str] = Counter()
    for kind, n in seen.kinds.items():
        classes[kind.status] += n
        if kind.row is not None:
            by_row[kind.row] += n
    strangers = sum(n * (kind.stranger + (kind.row in _STRANGERS)) for kind, n in seen.kinds.items())
    of_state_changes = {kind: n for kind, n in seen.kinds.items() if kind.row in _STATE_CHANGES}
    prefixed = sum(n * kind.prefixed for kind, n in of_state_changes.items())
    levels = [LEVELS.index(kind.level) for kind in of_state_changes if kind.level in LEVELS]
    machines = any(row in CONTROLLER_LINES for row in by_row)
    broken = tuple(sorted(seen.broken))
    bearing = sum(n * kind.bearing for kind, n in seen.kinds.items())
    resembling = sum(n * kind.resembling for kind, n in seen.kinds.items())
    no_text = sum(line > 1 for line in seen.no_text) if _may_bear(by_row) else 0
    why = _why_lossy(lossy, problem, stream.lossy, prefixed, strangers if machines else 0, len(broken))
    shown = FileFacts(
        index=index,
        cluster=cluster,
        path=source.path,
        lines=sum(classes.values()),
        coverage=dict(classes),
        rows=dict(by_row),
        unknown=dict(sorted(seen.unknown.items(), key=lambda each: (-each[1], each[0]))[:TEMPLATES]),
        bearing_unknown=bearing + no_text,
        taught_nothing=not is_state(stream.unknown_layout) and _taught_nothing(source, classes, strangers),
        problem=problem,
        lossy=why,
        label=stream.label,
        read_as=stream.read_as,
        unknown_layout=stream.unknown_layout,
        zone=stream.zone,
        notes=(*stream.notes, *_traces(by_row), *_no_text(no_text)),
        resembling=resembling,
        errors=tuple(LoggedError(text, *found) for text, found in sorted(seen.errors.items(), key=_by_line)),
    )
    own = _of_writer(source, stream)
    first_ts = None if seen.first is None else seen.first[1]
    file = LogFile(
        index=index,
        cluster=cluster,
        path=source.path,
        directory=own.directory,
        stream=own.stream,
        first_ts=first_ts,
        hour=own.hour,
        hours=own.hours,
        level=min([UNKNOWN_LEVEL, *levels]),
        lossy=why,
        number=own.number,
        machines=machines,
        broken=broken,
        goes_back=seen.goes_back(),
        oldest=seen.oldest,
        youngest=seen.youngest,
        label=stream.label,
        numbering=stream.numbering,
    )
    return file, shown


def _by_line(error: tuple[str, tuple[int, int]]) -> int:
    return error[1][1]


def _traces(by_row: Mapping[str, int]) -> list[str]:
    """Return a note if refused or failed moves lack the throwables that should follow them."""
    stopped, thrown = (sum(by_row.get(row, 0) for row in lines) for lines in (_STOPPED, REASONS))
    if thrown >= stopped:
        return []
    which = f"{stopped - thrown} of {stopped} refused or failed moves"
    return [f"no throwable follows {which}: stack traces were dropped, and with them the reasons"]


def _may_bear(by_row: Mapping[str, int]) -> bool:
    """Return True if lines that bear on a rule may be in a file: it has some, or nothing of it is known."""
    return not by_row or any(rows()[row].bears for row in by_row)


def _no_text(lines: int) -> list[str]:
    """Return a note on lines that hold bytes of no text.

    The first line does not count: a log that was truncated in place while its writer went on begins with NULs.
    """
    count = f"more than {MOST_BROKEN}" if lines >= MOST_BROKEN else str(lines)
    return (
        [f"lines that hold bytes of no text, as after a crash: {count}; others may have stood there"] if lines else []
    )


def _of_writer(source: Source, stream: Stream) -> Source:
    """Return the log that a stream of a file belongs to: a writer's lines in a file and its rotated files.

    A label may be a path, as grep prints it.
    """
    if not stream.label:
        return source
    if not stream.label_is_path:
        return replace(source, stream=f"{source.stream}: {stream.label}")
    named = source_of(stream.label)
    return replace(named, path=source.path, stream=f"{source.stream}: {named.stream}")


def _taught_nothing(source: Source, classes: Mapping[str, int], strangers: int) -> bool:
    """Return whether lines of a controller may be in a file of which nothing was understood.

    There are none if its lines all come from other loggers, or it has the name of another log.
    """
    if classes["understood"] or classes["irrelevant"] or os.path.basename(source.stream) in _OTHER_STREAMS:
        return False
    unknown = classes["unknown"]
    return unknown > strangers or (not unknown and classes["continuation"] > 0)


def _why_lossy(
    asked: bool, problem: str | None, layout_word: str | None, prefixed: int, strangers: int, broken: int
) -> str | None:
    """Return why any line of a file may be missing; None if none is."""
    if asked:
        return "lines may be missing (--lossy)"
    if problem:
        return "cut: lines may be missing"
    if layout_word:
        return layout_word
    if prefixed:
        return "its lines begin with an unknown envelope: lines may be missing"
    if strangers:
        return "a console copy, with all loggers in one: lines may be missing"
    if broken > MOST_BROKEN:
        return f"more than {MOST_BROKEN} lines are broken: others may be missing"
    return None
