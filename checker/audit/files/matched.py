"""From the bytes of lines to columns: lines of the frequent wordings in the default layout, many at once.

Wordings are walked (walk.py), those that matched most lines before first. Numbers are read as they are walked; what any
other text means is asked once for each of the different ones, of the functions that the reference parser has: so there
is one reading of a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.lib.stride_tricks import sliding_window_view

from ....traces.events.frequent import frequent
from ....traces.events.layouts import LEVELS
from ....traces.events.parse import time_of
from ....traces.events.wordings import Reader, read
from ..table.arrays import Array, Dictionary, Mask, Numbers, absent, array_of, concatenated, narrow
from .walk import Literal, Named, Number, Rest, Run, Step, walk

_DRESS = "[2018-08-03 12:00:00,123] "
_DIGITS = [place for place, char in enumerate(_DRESS) if char.isdigit()]
_OTHERS = [place for place, char in enumerate(_DRESS) if not char.isdigit()]
_ZERO, _MINUS, _RETURN, _FEED = ord("0"), ord("-"), ord("\r"), ord("\n")
_WINDOWS = (24, 256, 4096)
"""Characters of a slot that are looked at together: the first are enough for most. None that is longer is read."""
_WORD = 8
_FAR = 1 << 62
_MOST_DIGITS = 18
"""Of a number that surely fits 64 bits."""
_LONGEST_NAME = 255
"""Of whoever speaks, and of a topic: so the reference finds the words of a message within its head."""
PADDING = 2 * _WINDOWS[-1]
"""The bytes that must be there behind the last line."""


class Text(NamedTuple):
    """Lines: bytes, uint8, at least `PADDING` more than they are; where each begins, and where it ends without its line
    end. The lines stand in their order, and do not overlap."""

    data: Numbers
    begin: Numbers
    end: Numbers


def text_in(lines: pa.ChunkedArray) -> Text:
    """Lines that are bytes, with or without their line feeds."""
    one = lines.cast(pa.large_binary()).combine_chunks()
    one = pa.concat_arrays(one.chunks) if isinstance(one, pa.ChunkedArray) else one
    _, offsets, data = one.buffers()
    bounds = np.frombuffer(offsets, np.int64)[one.offset : one.offset + len(one) + 1]
    begin = int(bounds[0])
    held = np.frombuffer(data, np.uint8)[begin : int(bounds[-1])] if data is not None else np.zeros(0, dtype=np.uint8)
    data = np.concatenate([held, np.zeros(PADDING, dtype=np.uint8)])
    first, end = bounds[:-1] - begin, bounds[1:] - begin
    return Text(data, first, end - ((end > first) & (data[end - 1] == _FEED)))


class Matched(NamedTuple):
    """What was understood: the `places` of the lines, int64, and the columns row, level, ts, releases and fields."""

    places: Numbers
    columns: dict[str, Array]


@dataclass
class _Texts:
    """Which of the `different` texts each line has."""

    numbers: Numbers
    different: list[str]

    def converted(self, function: Callable[[str], Any], dictionary: Dictionary) -> Array:
        """Their values; of texts that no line has, for those were left behind, nothing is asked."""
        is_there = np.bincount(self.numbers, minlength=len(self.different)) > 0
        place = np.cumsum(is_there) - 1
        values = [function(text) for text, there in zip(self.different, is_there.tolist(), strict=True) if there]
        return array_of(values, dictionary).take(place[self.numbers])


@dataclass
class _Walking:
    """Lines on the way through a wording: their places, where each stands, where it ends, and what was kept of it."""

    data: Numbers
    place: Numbers
    at: Numbers
    end: Numbers
    places_of: Callable[[int], Numbers]
    numbers: dict[str, Numbers] = field(default_factory=dict)
    texts: dict[str, _Texts] = field(default_factory=dict)

    def only(self, fits: Mask) -> None:
        """Leave the other lines behind."""
        if not fits.all():
            self.place, self.at, self.end = self.place[fits], self.at[fits], self.end[fits]
            self.numbers = {name: values[fits] for name, values in self.numbers.items()}
            self.texts = {name: _Texts(texts.numbers[fits], texts.different) for name, texts in self.texts.items()}

    def take(self, step: Step) -> None:
        if isinstance(step, Literal):
            self._literal(step.text)
        elif isinstance(step, Number):
            self._number(step)
        elif isinstance(step, Run):
            self._run(step)
        elif isinstance(step, Named):
            self._named(step)
        else:
            self._rest(step)

    def _literal(self, text: bytes) -> None:
        self.only(_is_at(self.data, self.at, text))
        self.at = self.at + len(text)

    def _number(self, step: Number) -> None:
        minus = step.signed & (self.data[self.at] == _MINUS)
        value, digits = _number_at(self.data, self.at + minus)
        self.at = self.at + minus + digits
        if step.field is not None:
            self.numbers[step.field] = np.where(minus, -value, value)
        self.only((digits > 0) & (digits <= _MOST_DIGITS))

    def _run(self, step: Run) -> None:
        begin = self.at
        if step.ends is not None:
            end = np.minimum(_next(self.places_of(step.ends), begin), self.end)
        else:
            end = begin + _length(self.data, begin, step.characters)
        if step.gives_back is not None:
            end = end - ((end > begin) & (self.data[end - 1] == step.gives_back))
        self.at = end
        fits = end - begin >= step.least
        if step.field == "topic":
            fits &= end - begin <= _LONGEST_NAME
        if step.field is not None or step.allowed is not None:
            texts = _texts(self.data, begin, end)
            fits &= _where(texts, None if step.allowed is None else re.compile(step.allowed).fullmatch)
            if step.field is not None:
                self.texts[step.field] = texts
        self.only(fits)

    def _named(self, step: Named) -> None:
        begin, end = self.at, self.at + _length(self.data, self.at, step.characters)
        behind = sliding_window_view(self.data, _WINDOWS[0])[np.maximum(end - _WINDOWS[0], 0)][:, ::-1]
        digits = (behind - _ZERO < 10).argmin(axis=1)
        hyphen = end - digits - 1
        fits = (digits > 0) & (digits <= _MOST_DIGITS) & (hyphen > begin) & (hyphen - begin <= _LONGEST_NAME)
        fits &= self.data[np.maximum(hyphen, 0)] == _MINUS
        self.at = end
        self.only(fits)
        begin, hyphen = begin[fits], hyphen[fits]
        if step.topic is not None:
            self.texts[step.topic] = _texts(self.data, begin, hyphen)
        if step.partition is not None:
            self.numbers[step.partition], _ = _number_at(self.data, hyphen + 1)

    def _rest(self, step: Rest) -> None:
        begin, end = self.at, self.end - len(step.end)
        fits = end >= begin
        fits &= _is_at(self.data, np.maximum(end, 0), step.end)
        self.only(fits)
        texts = _texts(self.data, begin[fits], end[fits])
        if step.field is not None:
            self.texts[step.field] = texts
        self.at = self.end
        self.only(_where(texts, _is_plain))


def matched(text: Text, fields: tuple[str, ...], dictionary: Dictionary) -> Matched | None:
    """The lines of frequent wordings; None if there is none."""
    data, begin = text.data, text.begin
    end = _without_returns(data, begin, text.end)
    place, ts = _times(data, begin, end)
    level = _levels(data, begin[place] + len(_DRESS))
    place, ts, level = place[level >= 0], ts[level >= 0], level[level >= 0]
    at = begin[place] + len(_DRESS) + np.array([len(name) + 1 for name in LEVELS])[level]
    places_of = cache(lambda character: np.flatnonzero(data == character))
    left = np.ones(len(place), dtype=bool)
    parts: list[Matched] = []
    for readers, rows in _alike(data, at, end[place]):
        for reader in sorted(readers, key=_rarely):
            rows = rows[left[rows]]
            steps = walk(reader, fields)
            if steps is None or not len(rows):
                continue
            walking = _walked(steps, _Walking(data, rows, at[rows], end[place[rows]], places_of))
            columns = _columns(reader, walking, fields, dictionary)
            own = walking.place
            if len(own):
                left[own] = False
                _MATCHED[reader] += len(own)
                parts.append(Matched(place[own], columns | _leading(reader, ts[own], level[own], dictionary)))
    if not parts:
        return None
    names = ("row", "level", "ts", "releases", *fields)
    columns = {
        name: concatenated([part.columns.get(name) or absent(len(part.places)) for part in parts]) for name in names
    }
    return Matched(np.concatenate([part.places for part in parts]), columns)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


_MATCHED: Counter[Reader] = Counter()
"""How many lines this process has seen of each wording."""


def _rarely(reader: Reader) -> int:
    return -_MATCHED[reader]


def _walked(steps: Sequence[Step], walking: _Walking) -> _Walking:
    for step in steps:
        if len(walking.place):
            walking.take(step)
    walking.only(walking.at == walking.end)
    return walking


def _leading(reader: Reader, ts: Numbers, level: Numbers, dictionary: Dictionary) -> dict[str, Array]:
    of_level = dict(reader.wording.levels)
    releases = np.array([of_level.get(name, reader.wording.releases) for name in LEVELS])
    return {
        "level": array_of(LEVELS, dictionary).take(level),
        "ts": Array(ts),
        "releases": Array(releases[level]),
    }


def _columns(reader: Reader, walking: _Walking, fields: Sequence[str], dictionary: Dictionary) -> dict[str, Array]:
    """The row, and the fields that are there."""
    primitives = dict(reader.groups)
    always = np.zeros(len(walking.place), dtype=np.int64)
    found = {"row": array_of([reader.row.id], dictionary).take(always)}
    found |= {name: Array(narrow(values)) for name, values in walking.numbers.items()}
    found |= {name: texts.converted(read(primitives[name]), dictionary) for name, texts in walking.texts.items()}
    constants = {name: value for name, value in reader.constants.items() if name in fields and name not in found}
    return found | {name: array_of([value], dictionary).take(always) for name, value in constants.items()}


def _alike(data: Numbers, at: Numbers, end: Numbers) -> Iterator[tuple[tuple[Reader, ...], Numbers]]:
    """Wordings that begin alike, and the rows of the lines that begin so, by where their messages begin."""
    sentence = _sentences(data, at, end)
    there = np.flatnonzero(sentence >= 0)
    most = max(len(mark.words) for mark in frequent())
    behind, first = _words(data, sentence[there], most), _words(data, at, most)
    for mark, readers in frequent().items():
        found = np.flatnonzero(_begin_with(behind if mark.bracketed else first, mark.words.encode()))
        yield readers, there[found] if mark.bracketed else found


def _sentences(data: Numbers, at: Numbers, end: Numbers) -> Numbers:
    """Where the sentence behind the first bracket of a message begins; -1 without one."""
    close = np.flatnonzero(data == ord("]"))
    found = _next(close[data[close + 1] == ord(" ")], at) + 2
    return np.where((found < end) & (found - at <= _LONGEST_NAME), found, -1)


def _without_returns(data: Numbers, begin: Numbers, end: Numbers) -> Numbers:
    while True:
        returns = (end > begin) & (data[end - 1] == _RETURN)
        if not returns.any():
            return end
        end = end - returns


def _times(data: Numbers, begin: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
    """The places of the lines that begin with a time, and their times: milliseconds since 1970."""
    head = sliding_window_view(data, len(_DRESS))[begin]
    digits = head[:, _DIGITS] - _ZERO
    dress = np.frombuffer(_DRESS.encode(), dtype=np.uint8)
    fits = (end - begin > len(_DRESS)) & (digits < 10).all(axis=1) & (head[:, _OTHERS] == dress[_OTHERS]).all(axis=1)
    fits &= (digits[:, 0] == 1) | (digits[:, 0] == 2)
    place = np.flatnonzero(fits)
    year, month, day, hour, minute, second, millis = _parts(digits[place], (4, 2, 2, 2, 2, 2, 3))
    dates, number = np.unique((year * 100 + month) * 100 + day, return_inverse=True)
    begins = [
        time_of(f"{date // 10000}-{date // 100 % 100:02}-{date % 100:02} 00:00:00,000") for date in dates.tolist()
    ]
    known = np.array([each is not None for each in begins], dtype=bool)[number]
    known &= (hour < 24) & (minute < 60) & (second < 60)
    of_day = ((hour * 60 + minute) * 60 + second) * 1000 + millis
    ts = np.array([each or 0 for each in begins], dtype=np.int64)[number] + of_day
    return place[known], ts[known]


def _parts(digits: Numbers, widths: Sequence[int]) -> Iterator[Numbers]:
    """Numbers of some digits each, one behind the other in the columns."""
    at = 0
    for width in widths:
        yield digits[:, at : at + width] @ 10 ** np.arange(width, dtype=np.int64)[::-1]
        at += width


def _levels(data: Numbers, at: Numbers) -> Numbers:
    """Which of LEVELS stands there, with a space behind it; -1 if none does."""
    found = np.full(len(at), -1)
    left = np.arange(len(at))
    for number, name in enumerate(LEVELS):
        is_it = _is_at(data, at[left], f"{name} ".encode())
        found[left[is_it]] = number
        left = left[~is_it]
    return found


def _is_at(data: Numbers, at: Numbers, text: bytes) -> Mask:
    """Whether a text stands there."""
    return _begin_with(_words(data, at, len(text)), text)


def _words(data: Numbers, at: Numbers, size: int) -> Numbers:
    """At least so many bytes that stand there, eight in a number."""
    width = -(-size // _WORD) * _WORD
    return sliding_window_view(data, width)[at].view("<u8") if width else np.zeros((len(at), 0), dtype=np.uint64)


def _begin_with(words: Numbers, text: bytes) -> Mask:
    found = np.ones(len(words), dtype=bool)
    for number, begin in enumerate(range(0, len(text), _WORD)):
        part = text[begin : begin + _WORD]
        own = words[:, number] if len(part) == _WORD else words[:, number] & np.uint64((1 << 8 * len(part)) - 1)
        found &= own == np.uint64(int.from_bytes(part, "little"))
    return found


def _next(places: Numbers, at: Numbers) -> Numbers:
    """The first of some places that is not before each of these; far away if there is none."""
    return np.append(places, _FAR)[np.searchsorted(places, at)]


def _number_at(data: Numbers, at: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers without a sign that stand there, and how many digits each has; 0 also where there are too many."""
    digits = sliding_window_view(data, _WINDOWS[0])[at] - _ZERO
    count = (digits < 10).argmin(axis=1)
    value = np.zeros(len(at), dtype=np.int64)
    for place in range(min(int(count.max(initial=0)), _MOST_DIGITS)):
        value = np.where(place < count, value * 10 + digits[:, place], value)
    return value, count


def _length(data: Numbers, at: Numbers, characters: bytes) -> Numbers:
    """How many of these characters stand there; -1 if too many do."""
    table = np.zeros(256, dtype=bool)
    table[np.frombuffer(characters, dtype=np.uint8)] = True
    found = np.full(len(at), -1)
    left = np.arange(len(at))
    for width in _WINDOWS:
        is_one = table[sliding_window_view(data, width)[at[left]]]
        count = is_one.argmin(axis=1)
        ends = ~is_one[np.arange(len(left)), count]
        found[left[ends]] = count[ends]
        left = left[~ends]
        if not len(left):
            break
    return found


def _texts(data: Numbers, begin: Numbers, end: Numbers) -> _Texts:
    """The texts between these bytes, of ASCII; one that ends before it begins is empty."""
    size = np.maximum(end - begin, 0)
    most = int(size.max(initial=0))
    if most <= _WINDOWS[1]:
        values = sliding_window_view(data, max(most, 1))[begin][np.arange(max(most, 1)) < size[:, None]]
    else:
        before = np.cumsum(size) - size
        values = data[np.repeat(begin - before, size) + np.arange(int(size.sum()))]
    offsets = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    texts = pa.Array.from_buffers(
        pa.large_binary(), len(begin), [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(values))]
    ).dictionary_encode()
    different = [text.decode("latin-1") for text in texts.dictionary.to_pylist()]
    return _Texts(texts.indices.to_numpy(zero_copy_only=False), different)


def _where(texts: _Texts, is_right: Callable[[str], object] | None) -> Mask:
    """The lines whose text is right."""
    if is_right is None:
        return np.ones(len(texts.numbers), dtype=bool)
    return np.array([bool(is_right(text)) for text in texts.different], dtype=bool)[texts.numbers]
