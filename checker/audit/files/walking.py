"""Lines on their way through a wording: the position in many lines at once.

Numbers are read as they are walked; other texts are collected as distinct values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.lib.stride_tricks import sliding_window_view

from ....traces.events.parse import is_spliced
from ....traces.events.wordings import printable
from ..table.arrays import Array, Dictionary, Mask, Numbers, array_of
from .walk import Literal, Named, Number, Repeat, Rest, Step

_ZERO, _MINUS, _FEED = ord("0"), ord("-"), ord("\n")
_WINDOWS = (24, 256, 4096)
"""The numbers of characters of a slot that are looked at together: the first suffices for most. Longer slots are not
read.
"""
_WORD = 8
_FAR = 1 << 62
_MOST_DIGITS = 18
"""The most digits of a number that certainly fits 64 bits."""
LONGEST_NAME = 255
"""The most characters of a writer's name, and of a topic: within that the reference finds the words of a message."""
PADDING = 2 * _WINDOWS[-1]
"""The number of bytes required after the last line."""


class Text(NamedTuple):
    """Lines in their order, without overlap."""

    data: Numbers
    """Bytes, uint8, with at least `PADDING` extra."""
    begin: Numbers
    """The first byte of each line."""
    end: Numbers
    """The end of each line, without its line end."""


def text_in(lines: pa.ChunkedArray) -> Text:
    """Return lines that are bytes, with or without their line feeds."""
    if not len(lines):
        return Text(np.zeros(PADDING, dtype=np.uint8), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    one = lines.cast(pa.large_binary()).combine_chunks()
    one = pa.concat_arrays(one.chunks) if isinstance(one, pa.ChunkedArray) else one
    _, offsets, data = one.buffers()
    bounds = np.frombuffer(offsets, np.int64)[one.offset : one.offset + len(one) + 1]
    begin = int(bounds[0])
    held = np.frombuffer(data or b"", np.uint8)[begin : int(bounds[-1])]
    padded = np.concatenate([held, np.zeros(PADDING, dtype=np.uint8)])
    first, end = bounds[:-1] - begin, bounds[1:] - begin
    return Text(padded, first, end - ((end > first) & (padded[end - 1] == _FEED)))


@dataclass
class Texts:
    """The text of each line, as an index into the `different` texts."""

    numbers: Numbers
    different: list[str]

    def converted(self, function: Callable[[str], Any], dictionary: Dictionary) -> Array:
        """Return their values; texts of lines that were left behind are not converted."""
        is_there = np.bincount(self.numbers, minlength=len(self.different)) > 0
        place = np.cumsum(is_there) - 1
        values = [function(text) for text, there in zip(self.different, is_there.tolist(), strict=True) if there]
        return array_of(values, dictionary).take(place[self.numbers])


@dataclass
class Walking:
    """Lines on their way: their bytes, places, positions and ends, and the values kept so far.

    `places_of` returns all positions of a character.
    """

    data: Numbers
    place: Numbers
    at: Numbers
    end: Numbers
    places_of: Callable[[int], Numbers]
    numbers: dict[str, Numbers] = field(default_factory=dict)
    texts: dict[str, Texts] = field(default_factory=dict)

    def only(self, fits: Mask) -> None:
        """Drop the lines that do not fit."""
        if not fits.all():
            self.place, self.at, self.end = self.place[fits], self.at[fits], self.end[fits]
            self.numbers = {name: values[fits] for name, values in self.numbers.items()}
            self.texts = {name: Texts(texts.numbers[fits], texts.different) for name, texts in self.texts.items()}

    def copy(self) -> Walking:
        """Return the same lines, to be walked another way."""
        return replace(self, numbers={**self.numbers}, texts={**self.texts})

    def take(self, step: Step) -> None:
        if isinstance(step, Literal):
            self._literal(step.text)
        elif isinstance(step, Number):
            self._number(step)
        elif isinstance(step, Repeat):
            self._run(step)
        elif isinstance(step, Named):
            self._named(step)
        elif isinstance(step, Rest):
            self._rest(step)
        else:
            self.only(self.at == self.end)

    def _literal(self, text: bytes) -> None:
        self.only(is_at(self.data, self.at, text))
        self.at = self.at + len(text)

    def _number(self, step: Number) -> None:
        minus = step.signed & (self.data[self.at] == _MINUS)
        value, digits = _number_at(self.data, self.at + minus)
        self.at = self.at + minus + digits
        if step.field is not None:
            self.numbers[step.field] = np.where(minus, -value, value)
        self.only((digits > 0) & (digits <= _MOST_DIGITS))

    def _run(self, step: Repeat) -> None:
        begin = self.at
        if step.ends is not None:
            end = np.minimum(next_of(self.places_of(step.ends), begin), self.end)
        else:
            end = begin + _length(self.data, begin, step.characters)
        end = end - len(step.gives_back)
        self.at = end
        fits = end - begin >= step.least
        if not step.is_list:
            fits &= end - begin <= LONGEST_NAME
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
        fits = (digits > 0) & (digits <= _MOST_DIGITS) & (hyphen > begin) & (hyphen - begin <= LONGEST_NAME)
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
        fits &= is_at(self.data, np.maximum(end, 0), step.end)
        self.only(fits)
        texts = _texts(self.data, begin[fits], end[fits])
        if step.field is not None:
            self.texts[step.field] = texts
        self.at = self.end
        self.only(_where(texts, _is_plain))


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and not is_spliced(text) and printable(text) is not None


def is_at(data: Numbers, at: Numbers, text: bytes) -> Mask:
    """Return whether a text stands at each position."""
    return begin_with(words(data, at, len(text)), text)


def words(data: Numbers, at: Numbers, size: int) -> Numbers:
    """Return at least `size` bytes at each position, eight in a number."""
    width = -(-size // _WORD) * _WORD
    return sliding_window_view(data, width)[at].view("<u8") if width else np.zeros((len(at), 0), dtype=np.uint64)


def begin_with(words: Numbers, text: bytes) -> Mask:
    found = np.ones(len(words), dtype=bool)
    for number, begin in enumerate(range(0, len(text), _WORD)):
        part = text[begin : begin + _WORD]
        own = words[:, number] if len(part) == _WORD else words[:, number] & np.uint64((1 << 8 * len(part)) - 1)
        found &= own == np.uint64(int.from_bytes(part, "little"))
    return found


def next_of(places: Numbers, at: Numbers) -> Numbers:
    """Return the first of some places that is not before each of these; far away if there is none."""
    return np.append(places, _FAR)[np.searchsorted(places, at)]


def _number_at(data: Numbers, at: Numbers) -> tuple[Numbers, Numbers]:
    """Return the unsigned numbers at each position, and their digits; 0 digits where there are too many."""
    digits = sliding_window_view(data, _WINDOWS[0])[at] - _ZERO
    count = (digits < 10).argmin(axis=1)
    value = np.zeros(len(at), dtype=np.int64)
    for place in range(min(int(count.max(initial=0)), _MOST_DIGITS)):
        value = np.where(place < count, value * 10 + digits[:, place], value)
    return value, count


def _length(data: Numbers, at: Numbers, characters: bytes) -> Numbers:
    """Return the number of these characters at each position; -1 if there are too many."""
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


def _texts(data: Numbers, begin: Numbers, end: Numbers) -> Texts:
    """Return the texts between these bytes, of ASCII; one that ends before it begins is empty."""
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
    return Texts(texts.indices.to_numpy(zero_copy_only=False), different)


def _where(texts: Texts, is_right: Callable[[str], object] | None) -> Mask:
    """Return the lines whose text is valid."""
    if is_right is None:
        return np.ones(len(texts.numbers), dtype=bool)
    return np.array([bool(is_right(text)) for text in texts.different], dtype=bool)[texts.numbers]
