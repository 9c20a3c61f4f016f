"""One file, read in this process: its streams, and the events of their lines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from ....specs.formats import envelopes, layouts
from ....traces.events.layouts import Layout
from ....traces.formats.detect import Detected
from ....traces.formats.dumps import is_state
from ....traces.formats.pieces import goes_on, texts_of
from ....traces.formats.reading import PARTS, Numbering, Reading, StreamFacts, Text, Unwrapped
from ....traces.formats.wrapping import taken_alone
from ....traces.sources.text import Lines
from ..table.protocol import Row
from .counting import counted
from .coverage import Coverage, Stream


@dataclass
class _Growing:
    seen: Coverage = field(default_factory=Coverage)
    rows: list[Row] = field(default_factory=list)
    numbering: Numbering = field(default_factory=Numbering)


class ReadStream(NamedTuple):
    """The understood lines of one stream as `rows`, without the number of their file; and the counts of all lines."""

    seen: Coverage
    rows: list[Row]
    facts: Stream


class ReadFile(NamedTuple):
    """The streams of a file by their labels, at least one; `problem` says why it could not be read whole."""

    streams: list[ReadStream]
    problem: str | None


def read_streams(path: str, how: Detected, layout: Layout | None) -> ReadFile:
    """Read a file in the detected format; `layout` is that of its lines, if the user gave it."""
    streams: dict[str, _Growing] = {}
    if how.reading.native:
        lines = Lines(path)
        own = streams.setdefault("", _Growing())
        for number, text in enumerate(lines, start=1):
            _count(own, number, text, layout)
        return ReadFile([ReadStream(own.seen, own.rows, stream_of("", how, None))], lines.problem)
    unwrapped = Unwrapped(Lines(path), how.reading)
    for line in unwrapped:
        stream = streams.get(line.label)
        if stream is None:
            stream = streams.setdefault(line.label, _Growing())
        _count(stream, stream.numbering.add(line.place), line.text, layout)
    found = [
        ReadStream(each.seen, each.rows, stream_of(label, how, each.numbering, unwrapped.facts[label]))
        for label, each in sorted(streams.items() or {"": _Growing()}.items())
    ]
    return ReadFile(found, unwrapped.problem)


def _count(stream: _Growing, number: int, text: str, layout: Layout | None) -> None:
    stream.rows += ({**event.__dict__, "line": number} for event in counted(number, text, layout, stream.seen))


IN_SECONDS = "its times have no milliseconds: identical lines of one second count once"
BY_TEXT = (
    "lines of one millisecond are in the order of their text, so the file was sorted: the order within a millisecond,"
    " and stack traces, are lost"
)
At = tuple[int, int | None]
"""A line of a file, and the part of it; None for the first."""


def chosen(path: str, how: Detected, places: Collection[At]) -> dict[At, str]:
    """Return the texts of some places of a file, without their envelopes."""
    if how.reading.native:
        return {(number, None): text for number, text in Lines(path).chosen({line for line, _ in places}).items()}
    return _chosen_alone(path, how.reading, places) or chosen_of(Lines(path), how, places)


def _chosen_alone(path: str, reading: Reading, places: Collection[At]) -> dict[At, str]:
    """Return the same, where each of these lines holds a whole text; empty if one does not, because a line is in
    pieces.
    """
    if reading.alone is None:
        return {}
    lines = Lines(path).chosen({line for line, _ in places})
    found = {}
    for line, part in places:
        held = taken_alone(reading.alone, lines.get(line, ""))
        texts = [] if held is None or goes_on(held, unended=reading.unended) else texts_of(held)
        if len(texts) < (part or 1):
            return {}
        found[line, part] = texts[(part or 1) - 1]
    return found


def chosen_of(text: Text, how: Detected, places: Collection[At]) -> dict[At, str]:
    """Return the same for a text that is not read natively."""
    wanted = {line * PARTS + (part - 1 if part else 0): (line, part) for line, part in places}
    return {wanted[line.place]: line.text for line in Unwrapped(text, how.reading) if line.place in wanted}


def stream_of(label: str, how: Detected, numbering: Numbering | None, known_facts: StreamFacts | None = None) -> Stream:
    """Return the facts about a stream from reading it."""
    known_facts = known_facts or StreamFacts()
    layout = layouts().get(how.reading.layout or "")
    ties = [IN_SECONDS] if layout is not None and layout.in_seconds else []
    ties += [BY_TEXT] if how.by_text else []
    ties += [how.dump] if how.dump is not None and is_state(how.dump) else []
    return Stream(
        label=label,
        read_as=str(how.reading) if how.known or how.reading.chain else "no log" if is_state(how.dump) else None,
        unknown_layout=how.problem,
        label_is_path=any(envelopes()[id].path for id in how.reading.chain),
        lossy=known_facts.lossy,
        zone=known_facts.zone,
        notes=(*known_facts.notes, *ties),
        numbering=numbering,
    )
