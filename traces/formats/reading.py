"""The reading of one file: through its envelopes, from the outermost inwards, to lines by writer."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any, NamedTuple, Protocol

from ...specs.formats import Envelope, envelopes
from .instants import SECOND
from .order import JITTER, Entry, ordered, printed
from .pasted import Paste, notes
from .pasted import Reader as PasteReader
from .pieces import Pieces, Placed, missing, texts_of
from .records import Record, TooLargeError, document, json_lines, table
from .wrapping import LOST, Held, label_in, take

PARTS = 1 << 32
"""A place is the number of a line times this, plus the position among the lines that it contains, from 0."""
LARGEST_SORTED = 1 << 29
"""The largest number of characters of a file that are kept in memory to be sorted."""
_ZONE = 15 * 60 * SECOND
_MOST_ZONE = 14 * 4
_ZONES_ASKED = 50
ZONE_LINES = 10_000
"""Number of first lines of a file that show a writer's zone."""

PASTED = "pasted: lines may be missing"
"""The reason why any line of a pasted text may be missing."""


@dataclass(frozen=True)
class Reading:
    """The format in which a file is read."""

    chain: tuple[str, ...] = ()
    """Ids of its envelopes, the outermost first."""
    layout: str | None = None
    """Id of the layout of most of its first lines; None if no layout is known."""
    whole: bool = False
    """The file is JSON, but not one object per line."""
    falls: bool = False
    """The newest line is first, although the lines are in no envelope, or in one that keeps the order of writing."""
    json: bool = False
    """The lines are in a JSON layout, in no envelope."""
    unended: bool = False
    """None of its first lines has the line feed with which its envelope ends a line."""
    paste: Paste | None = None
    """The way to read its lines if they were pasted; it has then no envelopes."""

    @property
    def native(self) -> bool:
        """True if the lines of the file are those of the log."""
        return not (self.chain or self.whole or self.falls or self.json or self.paste)

    @property
    def alone(self) -> Envelope | None:
        """The envelope of its lines if it has no other and one writer, and keeps the order of writing; else None."""
        envelope = envelopes()[self.chain[0]] if len(self.chain) == 1 else None
        as_it_stands = not (self.whole or self.falls)
        splits = envelope is not None and envelope.order == "written" and not envelope.names_writer and as_it_stands
        return envelope if splits else None

    def __str__(self) -> str:
        pasted = () if self.paste is None else ("pasted text",)
        return " over ".join([*pasted, *self.chain, self.layout or "unknown lines"])


class Text(Protocol):
    """The text of a file; `problem` is the reason why the rest could not be read."""

    problem: str | None

    def __iter__(self) -> Iterator[str]:
        """Its lines."""

    def blocks(self) -> Iterator[bytes]:
        """All of it, in UTF-8."""


class Line(NamedTuple):
    """A line of a log: its writer, its place in the file (`Numbering`), its text."""

    label: str
    place: int
    text: str


class Numbering:
    """The place in a file of each line of a stream, by its number in the stream; both from 1.

    A place is the number of a line of the file and, if that line contains several, the position among them.
    """

    def __init__(self) -> None:
        self._first, self._place, self._step = array("q"), array("q"), array("q")
        self._size = 0

    def add(self, place: int) -> int:
        """Return the number of the next line of the stream, which is at a place."""
        self._size += 1
        if not self._first or not self._goes_on(place):
            self._begin(self._size, place, 0)
        return self._size

    @property
    def size(self) -> int:
        """Number of lines."""
        return self._size

    def extend(self, place: int, lines: int) -> None:
        """Place the next lines of the stream on consecutive lines of the file, from a place on."""
        last = self._size + 1 - self._first[-1] if self._first else 0
        if not last or self._step[-1] != PARTS or place != self._place[-1] + last * PARTS:
            self._begin(self._size + 1, place, PARTS)
        self._size += lines

    def join(self, other: Numbering, shift: int) -> None:
        """Append the lines of another numbering, whose places are too small by `shift`."""
        for first, place, step in zip(other._first, other._place, other._step, strict=True):
            self._begin(first + self._size, place + shift, step)
        self._size += other._size

    def _begin(self, first: int, place: int, step: int) -> None:
        self._first.append(first)
        self._place.append(place)
        self._step.append(step)

    def _goes_on(self, place: int) -> bool:
        steps = self._size - self._first[-1]
        step = place - self._place[-1]
        if steps == 1 and step in (1, PARTS, -PARTS):
            self._step[-1] = step
        return bool(self._step[-1]) and step == steps * self._step[-1]

    def place(self, number: int) -> tuple[int, int | None]:
        """Return the line of the file, and the position among the lines that it contains, from 2; None for the
        first."""
        run = bisect_right(self._first, number) - 1
        if run < 0:
            return number, None
        line, part = divmod(self._place[run] + (number - self._first[run]) * self._step[run], PARTS)
        return line, part + 1 if part else None

    def as_list(self) -> list[list[int]]:
        return [list(self._first), list(self._place), list(self._step), [self._size]]

    @staticmethod
    def from_list(shown: list[list[int]]) -> Numbering:
        found = Numbering()
        found._first, found._place, found._step = (array("q", numbers) for numbers in shown[:3])
        found._size = shown[3][0]
        return found


@dataclass
class StreamFacts:
    """Facts about one stream that reading shows."""

    notes: list[str] = field(default_factory=list)
    lossy: str | None = None
    """The reason why lines may be missing."""
    zone: int | None = None
    """The writer's zone in minutes."""


class Unwrapped:
    """The lines of a file, stream by stream if they must be sorted. After they are read, `problem` is the reason why
    the rest could not be read, and `facts` describes each stream, by label."""

    def __init__(self, lines: Text, reading: Reading) -> None:
        self._lines, self._reading = lines, reading
        chain = [envelopes()[id] for id in reading.chain]
        self._heads = chain[0] if chain and chain[0].heads else None
        self._chain = chain[1:] if self._heads else chain
        self.problem: str | None = None
        self.facts: dict[str, StreamFacts] = defaultdict(StreamFacts)
        self._zones: dict[str, list[int]] = defaultdict(list)
        self._records: dict[str, int] = defaultdict(int)
        self._pieces: dict[str, Pieces] = defaultdict(lambda: Pieces(unended=reading.unended))

    def __iter__(self) -> Iterator[Line]:
        lines = self._lines
        sorts = self._reading.falls or any(envelope.order == "any" for envelope in self._chain)
        try:
            if self._reading.paste is not None:
                yield from self._pasted(lines, self._reading.paste)
            else:
                yield from self._sorted(lines) if sorts else self._written(lines)
        except TooLargeError as error:
            self.problem = str(error)
        self.problem = self.problem or lines.problem
        self.problem = self.problem or missing(sum(pieces.cut for pieces in self._pieces.values()))
        for label in self._zones:
            self.facts[label].zone = self._zone(label)
        limits = {limit for envelope in self._chain for limit in envelope.limits}
        total = sum(self._records.values())
        if total in limits:
            for label in self._records:
                self.facts[label].lossy = f"exactly {total} records, a row limit: lines may be missing"

    def _pasted(self, lines: Text, paste: Paste) -> Iterator[Line]:
        reader = PasteReader(paste)
        for label, number, part, text in reader.lines(lines):
            self.facts[label].lossy = PASTED
            yield Line(label, number * PARTS + part, text)
        for facts in islice(self.facts.values(), 1):
            facts.notes += notes(paste, reader)

    def _written(self, lines: Text) -> Iterator[Line]:
        for label, entry in self._entries(lines):
            yield from _lines(label, entry)

    def _sorted(self, lines: Text) -> Iterator[Line]:
        """Yield the lines stream by stream; those beyond LARGEST_SORTED follow as they are."""
        of_label: dict[str, list[Entry]] = defaultdict(list)
        size = 0
        entries = self._entries(lines)
        for label, entry in entries:
            of_label[label].append(entry)
            size += sum(map(len, entry.lines))
            if size > LARGEST_SORTED:
                break
        reversed_ties = self._reading.falls or any(envelope.ties == "reversed" for envelope in self._chain)
        last: dict[str, int] = {}
        for label in list(of_label):
            found = ordered(of_label.pop(label), reversed_ties=reversed_ties)
            if found.how is not None:
                self.facts[label].notes.append(found.how)
            if found.doubt is not None:
                self.facts[label].lossy = found.doubt
            for entry in found.entries:
                last[label] = max(last.get(label, 0), _time(entry) or 0)
                yield from _lines(label, entry)
        for label, entry in entries:
            time = _time(entry)
            if time is not None and time < last.get(label, 0) - JITTER:
                self.facts[label].lossy = f"not in order, and larger than {LARGEST_SORTED >> 20} MB: not sorted"
            last[label] = max(last.get(label, 0), time or 0)
            yield from _lines(label, entry)

    def _entries(self, lines: Text) -> Iterator[tuple[str, Entry]]:
        """Yield the content of records, with their pieces joined, in the order of the file."""
        for place, held in self._held(lines):
            label = held.label
            self._records[label] += 1
            for record in self._pieces[label].add(Placed(place, held)):
                yield label, self._entry(record, label)
        for label, pieces in self._pieces.items():
            for record in pieces.end():
                yield label, self._entry(record, label)

    def _entry(self, record: Placed, label: str) -> Entry:
        place, held = record
        texts = texts_of(held)
        if held.outer is not None and not self._knows_zone(label) and place <= ZONE_LINES * PARTS:
            inner = printed(texts[0])
            quarters = _MOST_ZONE + 1 if inner is None else round((inner - held.outer) / _ZONE)
            if abs(quarters) <= _MOST_ZONE:  # More is not a zone: old lines in a new envelope have today's time.
                self._zones[label].append(quarters)
        many = bool(self._chain) and self._chain[0].kind == "csv"
        step = PARTS if many else 1
        return Entry(held.outer, texts, [place + step * i for i in range(len(texts))])

    def _zone(self, label: str) -> int | None:
        zones = sorted(self._zones[label])
        return zones[len(zones) // 2] * 15 if zones else None

    def _knows_zone(self, label: str) -> bool:
        return len(self._zones[label]) >= _ZONES_ASKED

    def _held(self, lines: Text) -> Iterator[tuple[int, Held]]:
        for above, records in self._below_heads(self._framed(lines)):
            for place, held in self._of_records(records):
                yield place, held._replace(label="/".join(filter(None, (above, held.label))))

    def _below_heads(self, records: Iterator[Record]) -> Iterator[tuple[str, Iterator[Record]]]:
        """Yield each head's text and the records below it; all records if there are no heads."""
        heads, number, above = self._heads, 0, ""
        if heads is None:
            yield "", records
            return

        def head(record: Record) -> tuple[int, str]:
            nonlocal number, above
            found = take(heads, record.value)
            if found is not None:
                number, above = number + 1, found[0].label
            return number, above

        for (several, label), below in groupby(records, head):
            yield label, islice(below, 1 if several else 0, None)

    def _of_records(self, records: Iterator[Record]) -> Iterator[tuple[int, Held]]:
        """Yield lines as envelopes hold them; a line in no envelope is the rest of its writer's previous line."""
        label: str | None = None
        early: list[tuple[int, Held]] = []
        line, part = 0, 0
        for record in records:
            part = part + 1 if record.line == line else 0
            line = record.line
            if record.value is None:
                self.problem = f"its JSON ends, or breaks, within the value that begins in line {record.line}"
            values = None if record.unread else self._taken(record.value, 0)
            if values is None:
                values = [Held(record.value if isinstance(record.value, (str, dict)) else LOST, label or "")]
                if label is None and self._chain:
                    early.append((line * PARTS + part, values[0]))
                    continue
            elif values:
                label = values[-1].label
                yield from ((place, held._replace(label=values[0].label)) for place, held in early)
                early = []
            for held in values:
                yield line * PARTS + part, held
                part += 1 + (held.value.rstrip("\n").count("\n") if isinstance(held.value, str) else 0)
            part -= bool(values)
        yield from early

    def _taken(self, value: Any, depth: int) -> list[Held] | None:
        """Return the content of the envelopes from `depth` on; None if the value is not in the envelope of this
        depth."""
        if depth == len(self._chain):
            return [Held(value, label_in(value) if self._reading.json else "")]
        outside = take(self._chain[depth], value)
        if outside is None:
            return None
        found = []
        for held in outside:
            inside = self._taken(held.value, depth + 1) if depth + 1 < len(self._chain) else [held]
            for each in inside or [held]:
                if each is held:
                    found.append(held)
                    continue
                label = "/".join(text for text in (held.label, each.label) if text)
                outer = held.outer if each.outer is None else each.outer
                found.append(Held(each.value, label, outer, each.goes_on or held.goes_on))
        return found

    def _framed(self, lines: Text) -> Iterator[Record]:
        kind = self._chain[0].kind if self._chain else "json" if self._reading.json else "text"
        if kind == "csv":
            return table(lines)
        if kind == "json" and self._reading.whole:
            return document(lines.blocks(), self._chain[0].each if self._chain else ())
        if kind == "json":
            return json_lines(lines)
        return (Record(number, text) for number, text in enumerate(lines, start=1))


def zone_of(lines: Text, reading: Reading) -> int | None:
    """Return what `Unwrapped` finds about the zone of a file's only writer; it reads no more of the file."""
    unwrapped = Unwrapped(lines, reading)
    for label, place, _ in unwrapped:
        if unwrapped._knows_zone(label) or place > ZONE_LINES * PARTS:
            break
    return unwrapped._zone("")


def _lines(label: str, entry: Entry) -> Iterator[Line]:
    return (Line(label, place, text) for place, text in zip(entry.places, entry.lines, strict=True))


def _time(entry: Entry) -> int | None:
    """Return the envelope's time if it has one, else the line's."""
    return printed(entry.lines[0]) if entry.outer is None else entry.outer
