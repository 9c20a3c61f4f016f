"""Columns of an audit in memory: NumPy arrays of numbers; values that a line did not print are marked as absent."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
_ROOM = 2**62
"""The upper bound of a key of several columns as one number."""
_WIDE = 2**31
"""A column with a larger range than this is renumbered before it becomes part of a key."""
_DENSE = 4
"""Keys below this multiple of the number of rows are counted rather than sorted, which takes a thirtieth of the
time.
"""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A multiplier that spreads the bits of a hash."""
_KINDS = (np.int8, np.int16, np.int32, np.int64)


class _Indices(dict[Hashable, int]):
    """The index of each value; a new value is appended to the values."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __missing__(self, value: Hashable) -> int:
        index = self[value] = len(self._values)
        self._values.append(value)
        return index


class Dictionary:
    """Texts and lists, each once: an array has their indices, the same in all columns of an audit."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._indices = _Indices(self.values)
        self._as_sets: Numbers = np.zeros(0, dtype=np.int64)

    def index(self, value: Any) -> int:
        return self._indices[tuple(value) if isinstance(value, list) else value]

    def indices(self, values: Sequence[Any]) -> Numbers:
        if list in map(type, values):
            return np.array([self.index(value) for value in values], dtype=np.int64)
        return np.array(list(map(self._indices.__getitem__, values)), dtype=np.int64)

    def sets(self, indices: Numbers) -> Numbers:
        """Return for indices of lists those of the same lists as sets: sorted, each member once."""
        known, size = len(self._as_sets), len(self.values)
        if known < size:
            more = [
                self.index(tuple(sorted(set(value)))) if isinstance(value, tuple) else known + place
                for place, value in enumerate(self.values[known:size])
            ]
            self._as_sets = np.concatenate([self._as_sets, more])
        return self._as_sets[indices]


@dataclass(frozen=True)
class Array:
    """The values of one column."""

    data: Numbers
    """Whole numbers or truth values, or indices of a dictionary, of shape (rows,)."""
    present: Mask | None = None
    """The places where a value is present, bool, of shape (rows,); None where none is absent."""
    encoded: bool = False
    """True if the values are indices of the dictionary."""

    def take(self, rows: Numbers) -> Array:
        return Array(self.data.take(rows), None if self.present is None else self.present.take(rows), self.encoded)

    def where(self, condition: Mask) -> Array:
        """Return the array with values also absent where the condition is false."""
        return Array(self.data, condition if self.present is None else self.present & condition, self.encoded)

    def plain(self, dictionary: Dictionary) -> list[Any]:
        """Return Python values, None where absent."""
        found: list[Any] = self.data.tolist()
        if self.encoded:
            values = dictionary.values
            found = [values[index] for index in found]
        if self.present is None:
            return found
        return [value if there else None for value, there in zip(found, self.present.tolist(), strict=True)]

    @property
    def is_there(self) -> Mask:
        return np.ones(len(self.data), dtype=bool) if self.present is None else self.present


def narrow(numbers: Numbers) -> Numbers:
    """Return whole numbers in the smallest type that fits them."""
    least, most = (numbers.min(), numbers.max()) if len(numbers) else (0, 0)
    fits = (kind for kind in _KINDS if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max)
    return numbers.astype(next(fits))


def absent(size: int) -> Array:
    return Array(np.zeros(size, dtype=np.int8), np.zeros(size, dtype=bool))


def array_of(values: Sequence[Any], dictionary: Dictionary) -> Array:
    """Return a column from Python values: numbers or truth values unchanged, anything else dictionary-encoded."""
    if len(values) > 1 and _is_one(values):
        only = array_of(values[:1], dictionary)
        return only.take(np.zeros(len(values), dtype=np.int64))
    kind = type(next((value for value in values if value is not None), 0))
    if kind is int:
        try:
            return Array(narrow(np.array(values, dtype=np.int64)))
        except TypeError:  # from None: most columns have none, and looking for it costs as much
            pass
    some = None in values
    if kind in (int, bool):
        whole = [kind() if value is None else value for value in values] if some else values
        data = np.array(whole, dtype=np.int64 if kind is int else bool)
    else:
        data = dictionary.indices([() if value is None else value for value in values] if some else values)
    data = data if kind is bool else narrow(data)
    there = np.array([value is not None for value in values]) if some else None
    return Array(data, there, kind not in (int, bool))


def _is_one(values: Sequence[Any]) -> bool:
    """Return whether all values are the same, as in many columns."""
    first = values[0]
    return bool(first == values[-1] == values[len(values) // 2]) and values.count(first) == len(values)


def concatenated(columns: Sequence[Array]) -> Array:
    """Return the columns one below the other."""
    known = [column for column in columns if column.present is None or column.present.any()]
    if not known:
        return absent(sum(len(column.data) for column in columns))
    if len({column.encoded for column in known}) > 1:
        raise TypeError("expected columns of one kind, got numbers and encoded ones")
    present = None if all(each.present is None for each in columns) else np.concatenate([c.is_there for c in columns])
    kind = np.result_type(*(column.data for column in known))
    data = np.concatenate([column.data.astype(kind, copy=False) for column in columns])
    return Array(data, present, any(column.encoded for column in known))


def key_of(columns: Sequence[Array], size: int) -> Numbers:
    """Return a number for each row: equal where all of the columns are; an absent value equals an absent one."""
    key, room = np.zeros(size, dtype=np.int64), 1
    for column in columns:
        part, width = _from_nought(column)
        if room * width >= _ROOM:
            key, room = _numbered(key)
        key = key * width + part
        room *= width
    return key


def _from_nought(column: Array) -> tuple[Numbers, int]:
    """Return the values as numbers from 0, which stands for absent; and the upper bound of their number."""
    there = column.data if column.present is None else column.data[column.present]
    if not len(there):
        return np.zeros(len(column.data), dtype=np.int64), 1
    least, most = int(there.min()), int(there.max())
    if most - least < _WIDE:
        part, width = column.data.astype(np.int64) - (least - 1), most - least + 2
    else:
        part, width = _numbered(column.data)
        part, width = part + 1, width + 1
    return part if column.present is None else np.where(column.present, part, 0), width


def _numbered(values: Numbers) -> tuple[Numbers, int]:
    different, place = np.unique(values, return_inverse=True)
    return cast(Numbers, place.astype(np.int64).reshape(-1)), len(different)


def different(columns: Sequence[Array], size: int) -> tuple[Numbers, Numbers]:
    """Return the distinct rows, each as its first occurrence; and for every row the number of its equal among them."""
    key = key_of(columns, size)
    room = int(key.max()) + 1 if size else 0
    if room > _DENSE * size or not size:
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        return first, place.reshape(-1)
    first_of = np.full(room, size)
    np.minimum.at(first_of, key, np.arange(size))
    there = np.flatnonzero(first_of < size)
    number = np.zeros(room, dtype=np.int64)
    number[there] = np.arange(len(there))
    return first_of[there], number[key]


def parts_of(key: Numbers, size: int) -> Numbers:
    """Return for each row the number of its part: rows of one key are in one part, parts have about `size` rows."""
    if key.max() > 2 * len(key):
        key, _ = _numbered(key)
    counts = np.bincount(key)
    before = np.cumsum(counts) - counts
    return cast(Numbers, (before // size).astype(np.int32)[key])


def in_order(columns: Sequence[Numbers]) -> Numbers | None:
    """Return the rows sorted by these columns, the first counts most; None if they are already sorted."""
    size = len(columns[0])
    rises = np.zeros(max(size - 1, 0), dtype=bool)  # by the columns looked at so far
    for column in columns:
        before, after = column[:-1], column[1:]
        if np.any((after < before) & ~rises):
            keys = _packed(columns)
            return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(tuple(reversed(keys)))
        rises |= before < after
    return None


def _packed(columns: Sequence[Numbers]) -> list[Numbers]:
    """Return fewer columns with the same order, several in one number where they fit: sorting time grows with the
    columns.
    """
    keys: list[Numbers] = []
    room = _ROOM
    for column in columns:
        least = int(column.min())
        width = int(column.max()) - least + 1
        if room * width < _ROOM:
            keys[-1] = keys[-1] * width + (column.astype(np.int64) - least)
            room *= width
        else:
            keys.append(column.astype(np.int64) - least if width < _ROOM else column)
            room = min(width, _ROOM)
    return keys


def ranks(numbers: Numbers, bounds: Numbers, groups: int) -> tuple[Numbers, Numbers, int]:
    """Return numbers and bounds as ranks: a number is at least a bound exactly where its rank is at least the bound's.

    All ranks are less than the third result, of which `groups` fit a number.

    Args:
        numbers: int64, at least one.
        bounds: int64.
    """
    least, most = int(numbers.min()), int(numbers.max())
    room = most - least + 2
    if room * groups < _ROOM:
        return numbers - least, np.clip(bounds, least, most + 1) - least, room
    different = np.unique(numbers)
    return np.searchsorted(different, numbers), np.searchsorted(different, bounds), len(different) + 1


def greatest_before(numbers: Array, begin: Numbers) -> Array:
    """Return for each row the greatest of the earlier numbers of its key; `begin`: the first row of its key."""
    keys = np.cumsum(begin == np.arange(len(begin)))
    data, least = numbers.data.astype(np.int64), int(numbers.data.min(initial=0))
    values = None
    if (int(data.max(initial=0)) - least + 2) * (int(keys.max(initial=0)) + 1) >= _ROOM:
        values, data = np.unique(data, return_inverse=True)
        data, least = data.reshape(-1), 0
    above = np.where(numbers.is_there, data - least + 1, 0)
    offset = keys * (int(above.max(initial=0)) + 1)  # no maximum carries over from key to key
    before = np.concatenate([[0], np.maximum.accumulate(offset + above)[:-1]]) - offset
    found = np.maximum(before - 1, 0) + least
    return Array(found if values is None else values[found], before > 0)


def again(size: int, rows: Numbers, group: Numbers, alike: Sequence[Array]) -> Array:
    """Return for each of `size` rows whether an earlier row of its group is equal in the columns `alike`.

    Args:
        rows: the rows that are in a group, with the numbers of these in `group`; see `several`.
        alike: columns of these rows.
    """
    found = np.zeros(size, dtype=bool)
    if len(rows):
        mixed = np.zeros(len(rows), dtype=np.uint64)
        for column in alike:
            data = column.data.astype(np.int64).view(np.uint64) + np.uint64(1)
            if column.present is not None:
                data[~column.present] = 0
            mixed = (mixed ^ data) * _ODD
            mixed ^= mixed >> np.uint64(29)
        # Of equal rows the first in order comes first; rows that only seem equal are checked below.
        order = np.argsort((group << 32) | (mixed >> np.uint64(32)).astype(np.int64), kind="stable")
        group = group[order]
        before, here = order[:-1], order[1:]
        same = group[:-1] == group[1:]
        before, here = before[same], here[same]
        for column in alike:
            there, was_there = column.is_there[here], column.is_there[before]
            same = np.where(there & was_there, column.data[here] == column.data[before], there == was_there)
            before, here = before[same], here[same]
        found[rows[here]] = True
    return Array(found)


def several(value: Array, begin: Numbers) -> tuple[Numbers, Numbers]:
    """Return the rows whose value another row of their key also has, and a number for each of these values of a key.

    Args:
        begin: of shape (rows,): the first row of the key of each.
    """
    data = value.data.astype(np.int64)
    same_key = begin[1:] == begin[:-1]
    if np.any((data[1:] < data[:-1]) & same_key):
        _, group = np.unique(key_of([Array(begin), value], len(begin)), return_inverse=True)
        group = group.reshape(-1).astype(np.int64)
    else:
        group = np.cumsum(np.concatenate([[0], ~(same_key & (data[1:] == data[:-1]))]).astype(np.int64))
    together = np.bincount(group)[group] > 1
    rows = np.flatnonzero(together & value.is_there)
    return rows, group[rows]
