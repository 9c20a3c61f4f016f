"""The in-memory reading of `Table`: columns as NumPy arrays, for more rows than a plain loop handles quickly.

A step copies no column: a table refers to columns of earlier tables with the rows that remain, and computes a column
when it is requested.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from ....model.expr import Expr
from .arrays import (
    Array,
    Dictionary,
    Mask,
    Numbers,
    absent,
    again,
    array_of,
    concatenated,
    greatest_before,
    in_order,
    key_of,
    parts_of,
    ranks,
    several,
)
from .protocol import Column, Row, Table
from .reading import ColumnReading

PART = 500_000
"""The most rows that are looked at together: intermediate values stay in the processor's cache, and memory is
bounded.
"""


@dataclass(frozen=True)
class _Part:
    """Columns of one earlier table, and the rows of it that remain; None: all."""

    columns: Mapping[str, Callable[[], Array]]
    rows: Numbers | None = None

    def array(self, name: str) -> Array:
        whole = self.columns[name]()
        return whole if self.rows is None else whole.take(self.rows)


class ColumnTable:
    """A table in columns; `Table` defines the steps."""

    def __init__(
        self, dictionary: Dictionary, size: int, parts: Sequence[_Part], reading: ColumnReading | None = None
    ) -> None:
        self._dictionary = dictionary
        self._size = size
        self._parts = tuple(parts)
        self._reading = reading or ColumnReading(dictionary)
        self._known: dict[str, Array] = {}

    @staticmethod
    def of(dictionary: Dictionary, columns: Mapping[str, Array]) -> ColumnTable:
        """Return a table from columns of one length."""
        size = len(next(iter(columns.values())).data)
        return ColumnTable(dictionary, size, [_part(columns)])

    @staticmethod
    def made(dictionary: Dictionary, size: int, columns: Mapping[str, Callable[[], Array]]) -> ColumnTable:
        """Return a table from columns of one length, each made when it is first requested."""
        return ColumnTable(dictionary, size, [_Part({name: cache(make) for name, make in columns.items()})])

    @staticmethod
    def of_rows(
        rows: Sequence[Row], dictionary: Dictionary | None = None, only: Collection[str] | None = None
    ) -> ColumnTable:
        """Return a table from rows; `only`: the columns that are read; None: all."""
        dictionary = dictionary or Dictionary()
        names = dict.fromkeys(name for row in rows for name in row if only is None or name in only)
        columns = {name: array_of([row.get(name) for row in rows], dictionary) for name in names}
        return ColumnTable(dictionary, len(rows), [_part(columns)])

    @staticmethod
    def of_columns(size: int, columns: Mapping[str, Callable[[], Sequence[Any]]]) -> ColumnTable:
        dictionary = Dictionary()

        def made(values: Callable[[], Sequence[Any]]) -> Array:
            return array_of(values(), dictionary)

        return ColumnTable.made(dictionary, size, {name: partial(made, own) for name, own in columns.items()})

    @property
    def size(self) -> int:
        """The number of rows."""
        return self._size

    def array(self, name: str) -> Array:
        """Return one column; absent in all rows if there is none of that name."""
        if name not in self._known:
            self._known[name] = self._fresh(name)
        return self._known[name]

    def _fresh(self, name: str) -> Array:
        """Return a column that this table does not cache."""
        part = next((part for part in reversed(self._parts) if name in part.columns), None)
        return absent(self._size) if part is None else part.array(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self._parts for name in part.columns))

    def _of(self, size: int, parts: Sequence[_Part]) -> ColumnTable:
        return ColumnTable(self._dictionary, size, parts, self._reading)

    def _rows(self, rows: Numbers) -> ColumnTable:
        left: dict[int, Numbers] = {}  # parts often keep the same rows
        for part in self._parts:
            if id(part.rows) not in left:
                left[id(part.rows)] = rows if part.rows is None else part.rows[rows]
        return self._of(len(rows), [_Part(part.columns, left[id(part.rows)]) for part in self._parts])

    def _only(self, condition: Mask) -> ColumnTable:
        return self if condition.all() else self._rows(np.flatnonzero(condition))

    def _with(self, columns: Mapping[str, Array]) -> ColumnTable:
        return self._of(self._size, [*self._parts, _part(columns)])

    def _read(self, expr: Expr) -> Array:
        return self._reading.array(expr, self.array, self._size)

    def _true(self, condition: Expr) -> Mask:
        found = self._read(condition)
        return found.data.astype(bool) & found.is_there

    def _key(self, names: Iterable[str]) -> Numbers:
        return key_of([self.array(name) for name in names], self._size)

    def where(self, condition: Expr) -> ColumnTable:
        return self._only(self._true(condition))

    def is_line(self, rows: Iterable[str]) -> Mask:
        row = self.array("row")  # first: a column that is decoded now adds its texts to the dictionary
        wanted = np.zeros(len(self._dictionary.values), dtype=bool)
        known = [number for number in map(self._dictionary.index, rows) if number < len(wanted)]
        wanted[known] = True
        return wanted[row.data] & row.is_there

    def of_lines(self, rows: Iterable[str]) -> ColumnTable:
        return self._only(self.is_line(rows))

    def without_lines(self, rows: Iterable[str]) -> ColumnTable:
        return self._only(~self.is_line(rows))

    def present(self, *columns: str) -> ColumnTable:
        return self._only(np.logical_and.reduce([self.array(name).is_there for name in columns]))

    def absent(self, column: str) -> ColumnTable:
        return self._only(~self.array(column).is_there)

    def derive(self, **columns: Expr) -> ColumnTable:
        return self._with({name: self._read(expr) for name, expr in columns.items()})

    def _value(self, column: Column) -> Array:
        value = Array(np.ones(self._size, dtype=bool)) if column.of is None else self.array(column.of)
        return value if column.where is None else value.where(self._true(column.where))

    def along(self, key: Sequence[str], order: Sequence[str], **columns: Column) -> ColumnTable:
        if not self._size:
            return self._with({name: absent(0) for name in columns})
        ids = self._key(key)
        rows = in_order([ids, *(self.array(name).data for name in order)])
        here = self if rows is None else self._rows(rows)
        ids = ids if rows is None else ids[rows]
        first = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
        begin = np.repeat(first, np.diff(first, append=self._size))
        return here._with({name: here._running(column, begin) for name, column in columns.items()})

    def _running(self, column: Column, begin: Numbers) -> Array:
        """Return a running column; `begin`: for each row the first of its key; the rows are in order."""
        value = self._value(column)
        if column.how == "gathered":
            return self._gathered(value, begin)
        if column.how == "greatest":
            return greatest_before(value, begin)
        if column.how == "again":
            rows, group = several(value, begin)
            there = self._rows(rows)  # few: most columns are not needed for all rows
            return again(self._size, rows, group, [there.array(name) for name in column.alike])
        here = np.arange(self._size)
        if column.how == "so_far":
            counted = _counts(value)
            before = np.cumsum(counted) - counted
            return Array(before - before[begin])
        last = here - 1
        if column.how == "last":
            seen = np.maximum.accumulate(np.where(value.is_there, here, -1))
            last = np.concatenate([[-1], seen[:-1]])
        return value.take(np.maximum(last, 0)).where(last >= begin)

    def _gathered(self, value: Array, begin: Numbers) -> Array:
        found: list[tuple[Any, ...]] = []
        for row, (each, first) in enumerate(zip(value.plain(self._dictionary), begin.tolist(), strict=True)):
            if row == first:
                seen: set[Any] = set()
            found.append(tuple(sorted(seen)))
            if each is not None:
                seen.add(each)
        return array_of(found, self._dictionary)

    def grouped(self, key: Sequence[str], **columns: Column) -> ColumnTable:
        if not self._size:
            return self._of(0, [])
        ids = self._key(key)
        rows = np.argsort(ids, kind="stable")
        here, ids = self._rows(rows), ids[rows]
        first = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
        found = {name: here.array(name).take(first) for name in key}
        return ColumnTable.of(
            self._dictionary,
            found | {name: _over(here._value(each), each.how, first) for name, each in columns.items()},
        )

    def joined(
        self,
        rows: Sequence[Mapping[str, Any]],
        on: Sequence[str],
        columns: Mapping[str, type],
        within: tuple[str, str] | None = None,
        of: str = "line",
    ) -> ColumnTable:
        if not rows or not self._size:
            return self._rows(np.zeros(0, dtype=np.int64))
        few = {
            name: array_of([row[name] for row in rows], self._dictionary) for name in (*on, *columns, *(within or ()))
        }
        here, there = self._keys([self.array(name) for name in on], [few[name] for name in on])
        keys, there = np.unique(there, return_inverse=True)
        group = np.minimum(np.searchsorted(keys, here), len(keys) - 1)
        found = keys[group] == here
        nought = np.zeros(len(rows), dtype=np.int64)
        first, last = (few[name].data.astype(np.int64) for name in within) if within else (nought, nought)
        place = self.array(of) if within else Array(np.zeros(self._size, dtype=np.int64))
        line = place.data.astype(np.int64)
        rank, begins, room = ranks(line, first, len(keys))
        begins += there.reshape(-1) * room
        order = np.lexsort((first, begins))
        # Stretches of one key do not overlap: only the last that begins at or before this row can contain it.
        at = order[np.maximum(np.searchsorted(begins[order], group * room + rank, side="right") - 1, 0)]
        found &= (there.reshape(-1)[at] == group) & (first[at] <= line) & (line <= last[at]) & place.is_there
        hits = np.flatnonzero(found)
        at = at[hits]
        here_too = _Part({name: cache(partial(few[name].take, at)) for name in columns})
        left = self._rows(hits)
        return left._of(left._size, [*left._parts, here_too])

    def _keys(self, here: Sequence[Array], there: Sequence[Array]) -> tuple[Numbers, Numbers]:
        """Return one key for the rows of two tables."""
        size, more = (len(array[0].data) for array in (here, there))
        key = key_of([concatenated(pair) for pair in zip(here, there, strict=True)], size + more)
        return key[:size], key[size:]

    def attached(self, other: Table, on: Sequence[str], columns: Sequence[str]) -> ColumnTable:
        there = _columns(other)
        if not there._size or not self._size:
            return self._with({name: absent(self._size) for name in columns})
        mine, theirs = self._keys([self.array(name) for name in on], [there.array(name) for name in on])
        order = np.argsort(theirs, kind="stable")
        at = order[np.maximum(np.searchsorted(theirs[order], mine, side="right") - 1, 0)]
        found = theirs[at] == mine
        return self._with({name: there.array(name).take(at).where(found) for name in columns})

    def filled(self, column: str, otherwise: str) -> ColumnTable:
        array = self.array(column)
        if array.present is None:
            return self
        rest = self.array(otherwise)
        if not array.present.any():
            return self._with({column: rest})
        there = None if rest.present is None else array.present | rest.present
        data = np.where(array.present, array.data, rest.data)
        return self._with({column: Array(data, there, array.encoded or rest.encoded)})

    def only_where(self, condition: Expr, *columns: str) -> ColumnTable:
        holds = self._true(condition)
        return self._with({name: self.array(name).where(holds) for name in columns})

    def matching(self, other: Table, on: Sequence[str]) -> ColumnTable:
        there = _columns(other)
        if not there._size or not self._size:
            return self._rows(np.zeros(0, dtype=np.int64))
        mine, theirs = self._keys([self.array(name) for name in on], [there.array(name) for name in on])
        return self._only(np.isin(mine, theirs))

    def plus(self, other: Table) -> ColumnTable:
        there = _columns(other)
        if not there._size:
            return self

        def both(name: str) -> Callable[[], Array]:
            return cache(lambda: concatenated([self._fresh(name), there._fresh(name)]))

        names = dict.fromkeys((*self.names, *there.names))
        return self._of(self._size + there._size, [_Part({name: both(name) for name in names})])

    def select(self, *columns: str) -> ColumnTable:
        parts = [
            _Part({name: array for name, array in part.columns.items() if name in columns}, part.rows)
            for part in self._parts
        ]
        missing = set(columns).difference(self.names)
        return self._of(self._size, [*parts, _Part({name: partial(absent, self._size) for name in sorted(missing)})])

    def renamed(self, **old: str) -> ColumnTable:
        gone = set(old.values()) - set(old)
        parts = [
            _Part({old.get(name, name): array for name, array in part.columns.items() if name not in gone}, part.rows)
            for part in self._parts
        ]
        return self._of(self._size, parts)

    def kept(self, near: Sequence[str], order: Sequence[str]) -> ColumnTable:
        if not self._size:
            return self
        names = (*near, *(name for name in order if name not in near))
        rows = in_order([key_of([self.array(name)], self._size) for name in names])
        return self if rows is None else self._rows(rows)

    def apart(self, near: Sequence[str], most: int = PART) -> Sequence[ColumnTable]:
        if self._size <= most:
            return [self]
        there = np.logical_and.reduce([self.array(name).is_there for name in near])
        part = np.where(there, parts_of(self._key(near), most), -1)
        return [self._rows(np.flatnonzero((part == number) | ~there)) for number in np.unique(part[there]).tolist()]

    def like(self, rows: Sequence[Row]) -> ColumnTable:
        return ColumnTable.of_rows(rows)

    def rows(self) -> list[Row]:
        if not self._size:
            return []
        names = self.names
        columns = [self.array(name).plain(self._dictionary) for name in names]
        return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _itself(array: Array) -> Array:
    return array


def _part(columns: Mapping[str, Array]) -> _Part:
    return _Part({name: partial(_itself, array) for name, array in columns.items()})


def _columns(table: Table) -> ColumnTable:
    if not isinstance(table, ColumnTable):
        raise TypeError(f"tables of two engines cannot be combined: expected a ColumnTable, got {type(table).__name__}")
    return table


def _counts(value: Array) -> Numbers:
    """Return 1 where the value is present, and true if it is a truth value."""
    counted = value.data if value.data.dtype == bool else np.ones(len(value.data), dtype=bool)
    return (counted if value.present is None else counted & value.present).astype(np.int64)


def _over(value: Array, how: str, first: Numbers) -> Array:
    """Return an aggregate of each group; the rows are sorted by group, `first` are the groups' first rows."""
    if how == "count":
        return Array(np.add.reduceat(_counts(value), first))
    function, otherwise = _AGGREGATES[how]
    data = value.data.astype(np.int64)
    if value.present is None:
        return Array(function.reduceat(data, first))
    found = function.reduceat(np.where(value.present, data, otherwise), first)
    return Array(found, np.logical_or.reduceat(value.present, first))


_AGGREGATES: Mapping[str, tuple[np.ufunc, int]] = {
    "min": (np.minimum, np.iinfo(np.int64).max),
    "max": (np.maximum, np.iinfo(np.int64).min),
    "sum": (np.add, 0),
    "common": (np.bitwise_and, -1),
}
