"""From the bytes of lines to columns: lines of the frequent wordings in the default layout, many at once.

Wordings are walked (walk.py, walking.py). Each distinct text is interpreted once, by the functions of the reference
parser, so there is only one reading of a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ....specs.machines import LEVELS
from ....traces.events.parse import time_of
from ....traces.events.wordings import Reader, read
from ..table.arrays import Array, Dictionary, Numbers, absent, array_of, concatenated, narrow
from .walk import Branch, walks
from .walking import Text, Walking, is_at

_DRESS = "[2018-08-03 12:00:00,123] "
_DIGITS = [place for place, char in enumerate(_DRESS) if char.isdigit()]
_OTHERS = [place for place, char in enumerate(_DRESS) if not char.isdigit()]
_ZERO, _RETURN = ord("0"), ord("\r")


class Matched(NamedTuple):
    """Understood lines."""

    places: Numbers
    """The places of the lines, int64."""
    columns: dict[str, Array]
    """The columns row, level, ts, releases and fields."""


def matched(text: Text, fields: tuple[str, ...], dictionary: Dictionary) -> Matched | None:
    """Return the lines of frequent wordings; None if there is none."""
    data, begin = text.data, text.begin
    end = _without_returns(data, begin, text.end)
    place, ts = _times(data, begin, end)
    level = _levels(data, begin[place] + len(_DRESS))
    place, ts, level = place[level >= 0], ts[level >= 0], level[level >= 0]
    at = begin[place] + len(_DRESS) + np.array([len(name) + 1 for name in LEVELS])[level]
    places_of = cache(lambda character: np.flatnonzero(data == character))
    walking = Walking(data, np.arange(len(place)), at, end[place], places_of)
    parts: list[Matched] = []
    for reader, own in _walked(walks(fields), walking):
        leading = _leading(reader, ts[own.place], level[own.place], dictionary)
        parts.append(Matched(place[own.place], leading | _columns(reader, own, fields, dictionary)))
    if not parts:
        return None
    names = ("row", "level", "ts", "releases", *fields)
    columns = {
        name: concatenated([part.columns.get(name) or absent(len(part.places)) for part in parts]) for name in names
    }
    return Matched(np.concatenate([part.places for part in parts]), columns)


def _walked(branches: Sequence[Branch], walking: Walking) -> Iterator[tuple[Reader, Walking]]:
    """Yield wordings with their lines; a line that matches two belongs to the first."""
    for branch in branches:
        if not len(walking.place):
            return
        own = walking.copy()
        own.take(branch.step)
        if not len(own.place):
            continue
        found = []
        for reader, lines in [(branch.reader, own)] if branch.reader else _walked(branch.branches, own):
            found.append(lines.place)
            yield reader, lines
        if found:
            walking.only(~np.isin(walking.place, np.concatenate(found), assume_unique=True))


def _leading(reader: Reader, ts: Numbers, level: Numbers, dictionary: Dictionary) -> dict[str, Array]:
    of_level = dict(reader.wording.levels)
    releases = np.array([of_level.get(name, reader.wording.releases) for name in LEVELS])
    return {
        "level": array_of(LEVELS, dictionary).take(level),
        "ts": Array(ts),
        "releases": Array(releases[level]),
    }


def _columns(reader: Reader, walking: Walking, fields: Sequence[str], dictionary: Dictionary) -> dict[str, Array]:
    """Return the row, and the fields that are present."""
    primitives = dict(reader.groups)
    always = np.zeros(len(walking.place), dtype=np.int64)
    found = {"row": array_of([reader.row.id], dictionary).take(always)}
    found |= {name: Array(narrow(values)) for name, values in walking.numbers.items()}
    found |= {name: texts.converted(read(primitives[name]), dictionary) for name, texts in walking.texts.items()}
    constants = {name: value for name, value in reader.constants.items() if name in fields and name not in found}
    return found | {name: array_of([value], dictionary).take(always) for name, value in constants.items()}


def _without_returns(data: Numbers, begin: Numbers, end: Numbers) -> Numbers:
    while True:
        returns = (end > begin) & (data[end - 1] == _RETURN)
        if not returns.any():
            return end
        end = end - returns


def _times(data: Numbers, begin: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
    """Return the places of the lines that begin with a time, and their times: milliseconds since 1970."""
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
    """Yield numbers of some digits each, one after the other in the columns."""
    at = 0
    for width in widths:
        yield digits[:, at : at + width] @ 10 ** np.arange(width, dtype=np.int64)[::-1]
        at += width


def _levels(data: Numbers, at: Numbers) -> Numbers:
    """Return the index in LEVELS of the level at each place, followed by a space; -1 if there is none."""
    found = np.full(len(at), -1)
    left = np.arange(len(at))
    for number, name in enumerate(LEVELS):
        is_it = is_at(data, at[left], f"{name} ".encode())
        found[left[is_it]] = number
        left = left[~is_it]
    return found
