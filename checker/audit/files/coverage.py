"""What is counted of a file's lines, and what that says about the file: one definition for every engine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ....specs.lines import STATE_CHANGE, rows, rows_with
from ....specs.machines import LEVELS
from ....traces.formats.reading import Numbering
from ....traces.sources.paths import Source
from ....traces.sources.paths import source as source_of
from ..lines import CONTROLLER_LINES, REASONS, STOPPED
from .file import CLOCK_PUT_BACK, OTHER_LOGS, UNKNOWN_LEVEL, FileFacts, LogFile

OWN = (STATE_CHANGE, "kafka.controller")
_STATE_CHANGES = frozenset(rows_with(family=STATE_CHANGE))
_OTHER_STREAMS = frozenset(os.path.basename(source_of(name).stream) for name in OTHER_LOGS)
_STRANGERS = frozenset(row.id for row in rows().values() if row.loggers and row.family is None)
"""Rows of loggers that neither file of a controller has by default."""
CLASSES = ("understood", "irrelevant", "continuation", "unknown")
TEMPLATE_LENGTH = 160
"""The characters that are shown of an unknown line, its numbers masked, so that lines of one wording count together."""
_COUNTED = 10_000
"""The most unknown templates that are counted of one piece of a file."""
TEMPLATES = 1_000
"""The most unknown templates of a file that are counted, the commonest."""
MOST_BROKEN = 1_000
"""The most lines of a file that are named as not whole; where there are more, any line may be missing."""


_STOPPED = tuple(row for lines in STOPPED.values() for row in lines)


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
    broken: bool = False
    """Unknown, and not whole: what is cut off, and lines after it, may have borne on a rule."""


@dataclass(frozen=True)
class Stream:
    """What is known of a stream of a file beside its lines: FileFacts tells of each."""

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
    """The lines of one file, by kind; the commonest unknown templates; number and time of the first and the last line
    that have one, the least and the greatest time; the numbers of lines that are not whole, one more than MOST_BROKEN
    at most."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    oldest: int | None = None
    youngest: int | None = None
    broken: list[int] = field(default_factory=list)

    def dated(self, line: int, ts: int) -> None:
        """A line that has a time, in any order."""
        if self.first is None or line < self.first[0]:
            self.first = line, ts
        if self.last is None or line > self.last[0]:
            self.last = line, ts
        self.oldest = ts if self.oldest is None else min(self.oldest, ts)
        self.youngest = ts if self.youngest is None else max(self.youngest, ts)

    def goes_back(self) -> bool:
        """Whether times go back by more than a clock is put back, as far as the ends of the file tell."""
        if self.first is None or self.last is None or self.oldest is None or self.youngest is None:
            return False
        return self.oldest < self.first[1] - CLOCK_PUT_BACK or self.last[1] < self.youngest - CLOCK_PUT_BACK

    def add(self, other: Coverage, shift: int = 0) -> None:
        """Add what was counted of other lines of the file; `shift` is what their numbers are short of."""
        self.kinds.update(other.kinds)
        self.unknown.update(other.unknown)
        for end in (other.first, other.last):
            if end is not None:
                self.dated(end[0] + shift, end[1])
        for ts in (other.oldest, other.youngest):
            if ts is not None:
                self.oldest = ts if self.oldest is None else min(self.oldest, ts)
                self.youngest = ts if self.youngest is None else max(self.youngest, ts)
        self.broken = sorted([*self.broken, *(line + shift for line in other.broken)])[: MOST_BROKEN + 1]

    def as_json(self) -> list[Any]:
        """As lists of what JSON can hold; `from_json` is the way back."""
        common = sorted(self.unknown.items(), key=lambda each: (-each[1], each[0]))[:_COUNTED]
        ends = [self.first, self.last, self.oldest, self.youngest]
        return [[[*kind, n] for kind, n in self.kinds.items()], common, ends, self.broken]

    @staticmethod
    def from_json(shown: Sequence[Any]) -> Coverage:
        kinds, unknown, (first, last, oldest, youngest), broken = shown
        return Coverage(
            Counter({Kind(*kind): n for *kind, n in kinds}),
            Counter(dict(unknown)),
            None if first is None else tuple(first),
            None if last is None else tuple(last),
            oldest,
            youngest,
            broken,
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
    """What the audit and the report have to know about one file. `problem` is why it could not be read whole."""
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
    why = _why_lossy(lossy, problem, stream.lossy, prefixed, strangers if machines else 0, len(broken))
    shown = FileFacts(
        index=index,
        cluster=cluster,
        path=source.path,
        lines=sum(classes.values()),
        coverage=dict(classes),
        rows=dict(by_row),
        unknown=dict(sorted(seen.unknown.items(), key=lambda each: (-each[1], each[0]))[:TEMPLATES]),
        bearing_unknown=sum(n * kind.bearing for kind, n in seen.kinds.items()),
        taught_nothing=_taught_nothing(source, classes, strangers),
        problem=problem,
        lossy=why,
        label=stream.label,
        read_as=stream.read_as,
        unknown_layout=stream.unknown_layout,
        zone=stream.zone,
        notes=(*stream.notes, *_traces(by_row)),
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


def _traces(by_row: Mapping[str, int]) -> list[str]:
    """A note where the throwables are not there that follow moves which were refused or failed."""
    stopped, thrown = (sum(by_row.get(row, 0) for row in lines) for lines in (_STOPPED, REASONS))
    if thrown >= stopped:
        return []
    which = f"{stopped - thrown} of {stopped} moves that were refused or failed"
    return [f"no throwable follows {which}: stack traces were dropped, and with them why"]


def _of_writer(source: Source, stream: Stream) -> Source:
    """The log that a stream of a file is a part of: a writer's in a file and its rotated ones.

    A label may be a path, as grep gives it.
    """
    if not stream.label:
        return source
    if not stream.label_is_path:
        return replace(source, stream=f"{source.stream}: {stream.label}")
    named = source_of(stream.label)
    return replace(named, path=source.path, stream=f"{source.stream}: {named.stream}")


def _taught_nothing(source: Source, classes: Mapping[str, int], strangers: int) -> bool:
    """Whether lines of a controller may be in a file of which nothing was understood.

    None are if its lines are all of other loggers, or it has the name of another log.
    """
    if classes["understood"] or classes["irrelevant"] or os.path.basename(source.stream) in _OTHER_STREAMS:
        return False
    unknown = classes["unknown"]
    return unknown > strangers or (not unknown and classes["continuation"] > 0)


def _why_lossy(
    asked: bool, problem: str | None, layout_word: str | None, prefixed: int, strangers: int, broken: int
) -> str | None:
    """Why any line of a file may be missing; None if none is."""
    if asked:
        return "lines may be missing (--lossy)"
    if problem:
        return "cut: lines may be missing"
    if layout_word:
        return layout_word
    if prefixed:
        return "something stands before its lines that is no known envelope: lines may be missing"
    if strangers:
        return "a console copy, with all loggers in one: lines may be missing"
    if broken > MOST_BROKEN:
        return f"more than {MOST_BROKEN} lines are not whole: others may be missing"
    return None
