"""The reference: every step in plain Python, over a list of rows."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ....model.evaluate import compiled, name_of
from ....model.expr import Expr, free
from .encoding import decoder, encoder, where_absent
from .protocol import Column, Row, Table


@cache
def known(expr: Expr) -> Callable[[Row], Any]:
    """Read an expression over a row: None as soon as one column that it reads has no value."""
    fields = sorted(free(expr), key=name_of)
    names = [name_of(leaf) for leaf in fields]
    columns = [(name_of(leaf), decoder(leaf.sort), where_absent(leaf.sort)) for leaf in fields]
    value = compiled(expr, names)
    encode = encoder(expr.sort)

    def read(row: Row) -> Any:
        arguments = []
        for name, decode, otherwise in columns:
            argument = row.get(name)
            if argument is None:
                argument = otherwise
            if argument is None:
                return None
            arguments.append(decode(argument) if decode else argument)
        result = value(*arguments)
        return encode(result) if encode else result

    return read


class PythonTable:
    """The reference reading: a list of dicts, never changed in place."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows

    @staticmethod
    def of_rows(rows: Sequence[Row]) -> PythonTable:
        return PythonTable(list(rows))

    @staticmethod
    def of_columns(size: int, columns: Mapping[str, Callable[[], Sequence[Any]]]) -> PythonTable:
        rows = zip(*(make() for make in columns.values()), strict=True)
        return PythonTable([dict(zip(columns, row, strict=True)) for row in rows])

    def where(self, condition: Expr) -> PythonTable:
        holds = known(condition)
        return PythonTable([row for row in self._rows if holds(row)])

    def of_lines(self, rows: Iterable[str]) -> PythonTable:
        wanted = frozenset(rows)
        return PythonTable([row for row in self._rows if row["row"] in wanted])

    def without_lines(self, rows: Iterable[str]) -> PythonTable:
        others = frozenset(rows)
        return PythonTable([row for row in self._rows if row["row"] not in others])

    def present(self, *columns: str) -> PythonTable:
        return PythonTable([row for row in self._rows if all(row.get(name) is not None for name in columns)])

    def absent(self, column: str) -> PythonTable:
        return PythonTable([row for row in self._rows if row.get(column) is None])

    def derive(self, **columns: Expr) -> PythonTable:
        readers = {name: known(expr) for name, expr in columns.items()}
        return PythonTable([row | {name: read(row) for name, read in readers.items()} for row in self._rows])

    def along(self, key: Sequence[str], order: Sequence[str], **columns: Column) -> PythonTable:
        found: list[Row] = []
        for rows in _by_key(self._rows, key):
            rows.sort(key=lambda row: tuple(row[name] for name in order))
            new = {name: _running(column, rows) for name, column in columns.items()}
            found += [row | {name: values[i] for name, values in new.items()} for i, row in enumerate(rows)]
        return PythonTable(found)

    def grouped(self, key: Sequence[str], **columns: Column) -> PythonTable:
        found = []
        for rows in _by_key(self._rows, key):
            values = {name: _AGGREGATES[column.how](list(_values(column, rows))) for name, column in columns.items()}
            found.append({name: rows[0].get(name) for name in key} | values)
        return PythonTable(found)

    def joined(
        self,
        rows: Sequence[Mapping[str, Any]],
        on: Sequence[str],
        columns: Mapping[str, type],
        within: tuple[str, str] | None = None,
        of: str = "line",
    ) -> PythonTable:
        there: dict[tuple[Any, ...], list[tuple[int, float, Row]]] = {}
        for row in rows:
            ends = (row[within[0]], row[within[1]]) if within else (0, math.inf)
            stretch = (*ends, {name: row[name] for name in columns})
            there.setdefault(tuple(row[name] for name in on), []).append(stretch)
        for stretches in there.values():
            stretches.sort(key=lambda stretch: stretch[0])
        found = []
        for row in self._rows:
            stretches = there.get(tuple(row.get(name) for name in on), [])
            place = row.get(of) if within else 0
            if place is None:
                continue
            # Stretches of one key do not overlap: only the last that begins at or before this row can contain it.
            at = bisect_right(stretches, place, key=lambda stretch: stretch[0]) - 1
            if at >= 0 and place <= stretches[at][1]:
                found.append(row | stretches[at][2])
        return PythonTable(found)

    def attached(self, other: Table, on: Sequence[str], columns: Sequence[str]) -> PythonTable:
        there = {tuple(row.get(name) for name in on): row for row in other.rows()}
        empty: Row = {}
        found = []
        for row in self._rows:
            match = there.get(tuple(row.get(name) for name in on), empty)
            found.append(row | {name: match.get(name) for name in columns})
        return PythonTable(found)

    def filled(self, column: str, otherwise: str) -> PythonTable:
        return PythonTable(
            [row if row.get(column) is not None else row | {column: row.get(otherwise)} for row in self._rows]
        )

    def only_where(self, condition: Expr, *columns: str) -> PythonTable:
        holds = known(condition)
        absent: Row = dict.fromkeys(columns)
        return PythonTable([row if holds(row) else row | absent for row in self._rows])

    def matching(self, other: Table, on: Sequence[str]) -> PythonTable:
        wanted = {tuple(row.get(name) for name in on) for row in other.rows()}
        return PythonTable([row for row in self._rows if tuple(row.get(name) for name in on) in wanted])

    def plus(self, other: Table) -> PythonTable:
        return PythonTable(self._rows + other.rows())

    def select(self, *columns: str) -> PythonTable:
        return PythonTable([{name: row.get(name) for name in columns} for row in self._rows])

    def renamed(self, **old: str) -> PythonTable:
        return PythonTable([{old.get(name, name): value for name, value in row.items()} for row in self._rows])

    def kept(self, near: Sequence[str], order: Sequence[str]) -> PythonTable:
        return self

    def apart(self, near: Sequence[str], most: int = 0) -> Sequence[PythonTable]:
        return [self]

    def like(self, rows: Sequence[Row]) -> PythonTable:
        return PythonTable(list(rows))

    def rows(self) -> list[Row]:
        return list(self._rows)


def _by_key(rows: list[Row], key: Sequence[str]) -> Iterator[list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in key), []).append(row)
    yield from groups.values()


def _values(column: Column, rows: list[Row]) -> Iterator[Any]:
    """Yield the values that count: those of the rows in which `where` is true (all, without `where`)."""
    holds = known(column.where) if column.where is not None else None
    for row in rows:
        if holds is not None and not holds(row):
            yield None
        else:
            yield True if column.of is None else row.get(column.of)


def _running(column: Column, rows: list[Row]) -> list[Any]:
    values = list(_values(column, rows))
    if column.how == "again":
        return _again(column, values, rows)
    if column.how == "previous":
        return [None, *values[:-1]]
    result: list[Any] = []
    last: Any = None
    greatest: Any = None
    count = 0
    gathered: set[Any] = set()
    for value in values:
        result.append({"last": last, "so_far": count, "gathered": sorted(gathered), "greatest": greatest}[column.how])
        if value is not None:
            last = value
            if column.how == "greatest":
                greatest = value if greatest is None else max(greatest, value)
            count += 1 if value else 0
            if column.how == "gathered":
                gathered.add(value)
    return result


def _again(column: Column, values: list[Any], rows: list[Row]) -> list[bool]:
    found, seen = [], set()
    for value, row in zip(values, rows, strict=True):
        shown = (value, *(_hashable(row.get(name)) for name in column.alike))
        found.append(value is not None and shown in seen)
        seen.add(shown)
    return found


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _present(values: list[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _common(values: list[Any]) -> int | None:
    result: int | None = None
    for value in _present(values):
        result = value if result is None else result & value
    return result


_AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "min": lambda values: min(_present(values), default=None),
    "max": lambda values: max(_present(values), default=None),
    "count": lambda values: sum(1 for value in _present(values) if value is not False),
    "sum": lambda values: sum(_present(values)),
    "common": _common,
}
