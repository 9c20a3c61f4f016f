"""Spans: the lines of each tenure in each file, with everything that rules need to know about these lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ....specs.machines import LEVELS
from .completeness import known_since, logged_levels
from .layout import Arrangement
from .local_histories import LocalHistory
from .statements import Run, TenureKey, WordingLine
from .tenures import JoinedLife

LINES_PER_FILE = 10**11
"""A number greater than the lines of any file: line + LINES_PER_FILE * (position of the file) orders the lines of a
stream.
"""


@dataclass(frozen=True)
class Span:
    """A part of a tenure in one file: lines first..last."""

    cluster: int
    file: int
    first: int
    last: int
    controller: int
    epoch: int
    life: int
    tenure: int
    stream: int
    """The number of its stream among those of the tenure."""
    base: int
    """`base` + line grows along a stream."""
    block: int
    """No line is missing between spans of one block; a foreign epoch also ends a block."""
    seen_level: str
    lossy: bool
    releases: int
    life_at_least: int
    """The releases that are not older than the one that some tenure of the life must have."""
    start_seen: bool
    known_since: int
    """The first of the epochs since which everything is available (completeness.py)."""
    since: int
    """The first line in which a line that names only the controller belongs to this tenure: the start of a file that
    continues with the previous file's epoch, or the span's.
    """
    until: int
    """The last such line: up to the next epoch of the controller."""
    level_from: int
    """The first `base` + line at which the stream is known to show `seen_level`."""
    level_until: int
    """The last such line."""
    disordered: bool = False
    """True if it is lossy only because its times go back."""
    whole_block: int = 0
    """The block if foreign epochs did not end one."""
    evidence: tuple[WordingLine, ...] = ()


def spans_of_life(life: JoinedLife, layout: Arrangement) -> list[Span]:
    """Return the spans of one life, in the order of its members; `since` and `until` are still those of each span
    alone.
    """
    levels = [logged_levels(history, life.tenures, layout) for history in life.members]
    known, at_least = known_since(life, levels, layout), life.at_least()
    return [
        span
        for history, level in zip(life.members, levels, strict=True)
        for span in _Part(life, history, level, known, at_least, layout).spans()
    ]


@dataclass(frozen=True)
class _Part:
    """One local history of a life, with what is known about its tenures."""

    life: JoinedLife
    history: LocalHistory
    levels: Mapping[TenureKey, int]
    known_since: Mapping[int, int]
    at_least: int
    layout: Arrangement

    def spans(self) -> Iterator[Span]:
        """Yield the spans of the runs that are read."""
        begun = self.begun()
        for run in self.history.runs:
            if self.layout.stream(run) in self.life.tenures[run.tenure].order.streams:
                yield from self.spans_of(run, begun)

    def begun(self) -> dict[TenureKey, int]:
        """Return the block in which each tenure begins that the stream shows from its start."""
        found: dict[TenureKey, int] = {}
        for run in self.history.runs:
            if self.started(run):
                found.setdefault(run.tenure, self.layout.split_positions[run.file].block(run.first))
        return found

    def started(self, run: Run) -> bool:
        """Return whether a run begins its tenure, and nothing shows that lines are missing there."""
        tenure = self.layout.files[run.file].cluster, run.controller, run.epoch
        goes_on = self.layout.stream(run) != self.life.tenures[run.tenure].order.streams[0]
        doubted = tenure in self.layout.start_missing or self.layout.is_less_logged(run.file, run.first)
        return run in self.history.started and not goes_on and not doubted

    def spans_of(self, run: Run, begun: Mapping[TenureKey, int]) -> Iterator[Span]:
        """Yield a run, split where a foreign epoch is reported or a line is broken; `begun` as above."""
        whole = self.span(run)
        position = self.layout.split_positions[run.file]
        started = self.started(run)
        for first, last in position.between_cuts(run.first, run.last):
            block = position.block(first)
            yield replace(
                whole,
                first=first,
                last=last,
                since=first,
                block=block,
                whole_block=self.layout.positions[run.file].block(first),
                lossy=whole.lossy or self.layout.is_less_logged(run.file, first),
                start_seen=started and block == begun[run.tenure],
            )

    def span(self, run: Run) -> Span:
        """Return a run as one span that begins no tenure."""
        file, position = self.layout.files[run.file], self.layout.split_positions[run.file]
        tenure = self.life.tenures[run.tenure]
        streams, overlapping = tenure.order.streams, tenure.order.overlapping
        stream = streams.index(file.stream)
        level = self.levels[run.tenure]
        begins = stream * len(self.layout.files)

        def at(place: int, line: int) -> int:
            return (begins + place) * LINES_PER_FILE + line

        ever = (0, 0), (len(self.layout.files) - 1, LINES_PER_FILE)
        level_from, level_until = self.layout.levels.get(run.file, {}).get(level, ever)
        return Span(
            cluster=file.cluster,
            file=run.file,
            first=run.first,
            last=run.last,
            controller=run.controller,
            epoch=run.epoch,
            life=self.life.number,
            tenure=tenure.number,
            stream=stream,
            base=at(position.index, 0),
            block=position.block(run.first),
            seen_level=LEVELS[level],
            lossy=self.layout.lossy(run) or file.stream in overlapping,
            releases=tenure.releases,
            life_at_least=self.at_least,
            start_seen=False,
            known_since=self.known_since[run.epoch],
            since=run.first,
            until=LINES_PER_FILE,
            level_from=at(*level_from),
            level_until=at(*level_until),
            disordered=run.disordered and file.lossy is None and not overlapping,
            evidence=tenure.evidence,
        )


class _Session(NamedTuple):
    """A controller in one stream."""

    cluster: int
    stream: str
    controller: int


def reaching(spans: Sequence[Span], layout: Arrangement) -> list[Span]:
    """Return the spans of all lives, where the lines between two spans of a controller belong to one, if that is
    certain.

    Spans of one controller in one stream are consecutive, in the order of their lines.
    """
    sessions: dict[_Session, list[Span]] = defaultdict(list)
    for span in sorted(spans, key=lambda span: (layout.positions[span.file].index, span.first)):
        sessions[_Session(span.cluster, layout.files[span.file].stream, span.controller)].append(span)
    return [
        _between(before, span, after)
        for own in sessions.values()
        for before, span, after in zip([None, *own[:-1]], own, [*own[1:], None], strict=True)
    ]


def _between(before: Span | None, span: Span, after: Span | None) -> Span:
    """Return a span with its `since` and `until`, from the spans of its controller before and after it in the
    stream.
    """
    if after is not None and after.file == span.file:
        span = replace(span, until=after.first - 1)
    if before is not None and before.file != span.file and before.tenure == span.tenure:
        span = replace(span, since=1)
    return span
