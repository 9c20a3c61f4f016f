"""Files in an envelope that Spark splits, although a line of the log may be in pieces that stand in two parts.

A worker joins the pieces within a part, and returns the lines of the log for those of the file. A part may begin with
the rest of a line, and end with the beginning of one: both go to the driver, which joins them. So before each part, and
at the end of the file, is a *seam*: a block of lines of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ....specs.formats import Envelope
from ....traces.formats.pieces import Pieces, Placed, begins, texts_of
from ....traces.formats.reading import PARTS, Numbering
from ....traces.formats.wrapping import Held, taken_alone
from ....traces.sources.text import text_of
from ..table.arrays import Dictionary, Mask
from . import worker
from .matched import matched
from .walking import text_in

_SEAM, _WITHIN, _END = 0, 1, 2
"""The begin of the seam before a part, of the part's own lines, and of the seam at the end of the file, relative to the
part's first byte.
"""


@dataclass(frozen=True)
class FilePart:
    """A worker's result for a part of a file."""

    home: int
    """The home of its block."""
    begin: int
    """The begin of its block."""
    lines: int
    """The number of lines of the file."""
    numbering: Numbering
    """The places of the log's lines that are complete in the part; its first line is 1."""
    head: Placed | None
    """The possible rest of a line that begins before the part."""
    open: bool
    """True if nothing in the part shows that this line, or the head, has ended."""
    tail: Placed | None
    """The beginning of a line that continues after the part."""
    cut: int
    """The number of incomplete lines in the part."""

    def as_json(self) -> list[Any]:
        ends = [
            None if end is None else (end.place, end.held.value, end.held.goes_on) for end in (self.head, self.tail)
        ]
        return [self.home, self.begin, self.lines, self.numbering.as_list(), self.open, self.cut, *ends]

    @staticmethod
    def from_json(shown: Sequence[Any]) -> FilePart:
        home, begin, lines, numbers, is_open, cut, *ends = shown
        head, tail = (None if end is None else Placed(end[0], Held(end[1], goes_on=end[2])) for end in ends)
        return FilePart(home, begin, lines, Numbering.from_list(numbers), head, is_open, tail, cut)

    def placed(self, held: Placed | None, before: int) -> list[Placed]:
        """Return its head or tail, after a number of lines of the file."""
        return [] if held is None else [held._replace(place=held.place + before * PARTS)]


class _Reader:
    """The state of a worker that reads a part of a file."""

    def __init__(self, home: int, begin: int, *, unended: bool) -> None:
        self.key = (home, begin)
        self.lines, self.numbering = 0, Numbering()
        self._opening = True
        self._head, self._within = Pieces(unended=unended), Pieces(unended=unended)
        self._first: Placed | None = None

    def add(self, record: Placed) -> list[Placed]:
        """Add a record and return the lines that are complete now."""
        if self._opening and not begins(record.held):
            for place, held in self._head.add(record):
                self._first, self._opening = Placed(place, held._replace(goes_on=False)), False
            return []
        self._begun()
        return self._within.add(record)

    def begun(self) -> list[Placed]:
        """Return the line cut off before this point: a new line begins here."""
        self._begun()
        return self._within.end()

    def _begun(self) -> None:
        if self._opening:
            self._first, self._opening = self._head.waiting(), False

    def part(self) -> FilePart:
        """Return the part once all of it is read."""
        is_open = self._opening
        self._begun()
        tail = self._within.waiting()
        return FilePart(*self.key, self.lines, self.numbering, self._first, is_open, tail, self._within.cut)


def encode(
    task: worker.Task, envelope: Envelope, unended: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the log's lines from the file's lines (home, block, place, text, value), as `worker.encode` does, and
    results for the parts.

    `text` is the content of a line, if it was easy to extract.
    """
    readers: list[_Reader] = []
    yield from worker.encode(task, _lines(envelope, unended, batches, readers))
    note = {"blocks": [], "coverage": [], "rows": [], "parts": [reader.part().as_json() for reader in readers]}
    yield worker.output([worker.LOOKED], [json.dumps(note).encode()])


def _lines(
    envelope: Envelope, unended: bool, batches: Iterable[pa.RecordBatch], readers: list[_Reader]
) -> Iterator[pa.RecordBatch]:
    for batch in (batch for batch in batches if batch.num_rows):
        home, block = batch["home"].to_numpy(), batch["block"].to_numpy()
        other = (home[1:] != home[:-1]) | (block[1:] != block[:-1])
        for first, last in pairwise([0, *(np.flatnonzero(other) + 1).tolist(), batch.num_rows]):
            key = int(home[first]), int(block[first])
            if not readers or readers[-1].key != key:
                readers.append(_Reader(*key, unended=unended))
            yield _of_part(readers[-1], envelope, batch.slice(first, last - first))


def _of_part(reader: _Reader, envelope: Envelope, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the lines of the log for lines of a part; a line that holds a frequent wording is complete."""
    size, before = batch.num_rows, reader.lines
    is_whole = _is_whole(batch["text"])
    at: list[int] = []
    places: list[int] = []
    texts: list[bytes] = []

    def add(row: int, whole: Iterable[Placed]) -> None:
        for place, held in whole:
            for number, text in enumerate(texts_of(held)):
                at.append(row)
                places.append(place + number)
                texts.append(text.encode("utf-8", "replace"))

    rest = np.flatnonzero(~is_whole)
    following = 0
    for row, value in zip(rest.tolist(), batch["value"].take(pa.array(rest)).to_pylist(), strict=True):
        if row > following:
            add(following, reader.begun())
        held = taken_alone(envelope, text_of(value))
        if held is not None:
            add(row, reader.add(Placed((before + row + 1) * PARTS, held)))
        following = row + 1
    if following < size:
        add(following, reader.begun())
    reader.lines += size
    kept = np.flatnonzero(is_whole)
    # Completed lines stand before the line that completed them; any other line of the file is not a line of the log
    # itself.
    order = np.argsort(np.concatenate([kept * 2 + 1, np.array(at, dtype=np.int64) * 2]), kind="stable")
    place = np.concatenate([(before + 1 + kept) * PARTS, np.array(places, dtype=np.int64)])[order]
    number = _numbered(reader.numbering, place)
    values = pa.concat_arrays([batch["text"].take(pa.array(kept)), pa.array(texts, pa.binary())])
    return _batch(*reader.key, _WITHIN, number, values.take(pa.array(order)))


def _is_whole(text: pa.Array) -> Mask:
    """Return which of some lines of the log, or nulls, have a frequent wording."""
    found = np.zeros(len(text), dtype=bool)
    there = np.flatnonzero(np.asarray(text.is_valid().to_numpy(zero_copy_only=False)))
    understood = matched(text_in(pa.chunked_array([text.drop_null()])), (), Dictionary())
    if understood is not None:
        found[there[understood.places]] = True
    return found


def _numbered(numbering: Numbering, place: Any) -> Any:
    """Return the numbers of the next lines of the log, which stand at these places, from 0."""
    first = numbering.size
    breaks = np.flatnonzero(np.diff(place) != PARTS) + 1
    for begin, end in pairwise([0, *breaks.tolist(), len(place)]):
        if end > begin:
            numbering.extend(int(place[begin]), end - begin)
    return np.arange(first, numbering.size)


def _batch(home: int, begin: int, where: int, place: Any, value: pa.Array) -> pa.RecordBatch:
    keys = [pa.array(np.full(len(place), key, dtype=np.int64)) for key in (home, begin + where)]
    return pa.record_batch([*keys, pa.array(place, pa.int64()), value], names=["home", "block", "place", "value"])


class JoinedFile(NamedTuple):
    """A file whose parts are all read: the places of its lines, the number of cut lines, the lines of its seams."""

    numbering: Numbering
    cut: int
    seams: list[pa.RecordBatch]


def joined(parts: Iterable[FilePart]) -> JoinedFile:
    """Return the parts of one file, joined."""
    pieces, numbering, before = Pieces(), Numbering(), 0
    seams = []

    def seam(part: FilePart, where: int, whole: Iterable[Placed]) -> None:
        texts = []
        for place, held in whole:
            for number, text in enumerate(texts_of(held)):
                numbering.add(place + number)
                texts.append(text.encode("utf-8", "replace"))
        if texts:
            numbers = np.arange(len(texts))
            seams.append(_batch(part.home, part.begin, where, numbers, pa.array(texts, pa.binary())))

    in_order = sorted(parts, key=lambda part: part.begin)
    for part in in_order:
        whole = [each for head in part.placed(part.head, before) for each in pieces.add(head)]
        seam(part, _SEAM, whole if part.open else [*whole, *pieces.end()])
        numbering.join(part.numbering, before * PARTS)
        for tail in part.placed(part.tail, before):
            pieces.add(tail)
        before += part.lines
    seam(in_order[-1], _END, pieces.end())
    return JoinedFile(numbering, pieces.cut + sum(part.cut for part in in_order), seams)
