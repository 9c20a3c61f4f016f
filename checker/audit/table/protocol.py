"""The few relational steps that the audit is written in.

Histories, observations and rules are written once against `Table`. `PythonTable` (rows.py) is the reference: a list of
rows. `ColumnTable` (columns.py) takes the same steps with NumPy arrays. Conditions and new columns are expressions of
the model's language, so that there is one definition of each; encoding.py defines the values of columns.

A column may be absent (None): the line did not print it. Every step has the same rule for that, in both readings: a
condition that reads an absent column is not true, an expression that reads one is absent. Nothing is ever guessed. Only
an absent column of the sort `Flag` (encoding.py) has a value in expressions: false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ....model.expr import Expr

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A step's new column, computed over the rows that share a key."""

    how: Literal["previous", "last", "so_far", "gathered", "greatest", "again", "min", "max", "count", "sum", "common"]
    """Over the rows of one key in order, for each row:

    previous: the value in the row just before; last: the latest earlier value that is not absent;
    so_far: the number of earlier rows that have `of` true; gathered: the distinct earlier values, a list;
    greatest: the greatest of the earlier numbers; again: whether an earlier row has the same `of`, which is not absent,
    and the same in all of `alike`, where an absent value equals an absent one;
    or, when grouping, over all the rows of a key: min, max, count (of true or present values), sum, common (bitwise
    and).
    """
    of: str | None = None
    where: Expr | None = None
    alike: tuple[str, ...] = ()


class Tables(Protocol):
    """Constructors of tables of one reading."""

    def of_rows(self, rows: Sequence[Row]) -> Table: ...

    def of_columns(self, size: int, columns: Mapping[str, Callable[[], Sequence[Any]]]) -> Table:
        """Return a table of `size` rows from its columns, each made when it is requested; an absent value is None."""


class Table(Protocol):
    """Rows of named columns; every step returns a new table."""

    def where(self, condition: Expr) -> Table: ...

    def of_lines(self, rows: Iterable[str]) -> Table:
        """Return the rows whose column `row` (the row of the line table) is one of `rows`."""

    def without_lines(self, rows: Iterable[str]) -> Table: ...

    def present(self, *columns: str) -> Table: ...

    def absent(self, column: str) -> Table: ...

    def derive(self, **columns: Expr) -> Table: ...

    def along(self, key: Sequence[str], order: Sequence[str], **columns: Column) -> Table:
        """Add columns computed over the earlier rows of the same key."""

    def grouped(self, key: Sequence[str], **columns: Column) -> Table: ...

    def joined(
        self,
        rows: Sequence[Mapping[str, Any]],
        on: Sequence[str],
        columns: Mapping[str, type],
        within: tuple[str, str] | None = None,
        of: str = "line",
    ) -> Table:
        """Return the inner join with few rows, which have the columns `on` and `columns` (name -> int, str or bool).

        `within` names two of their columns: the first and the last `line`, or other column `of`, that they apply to,
        from 0; these ranges do not overlap for one key.
        """

    def attached(self, other: Table, on: Sequence[str], columns: Sequence[str]) -> Table:
        """Left join: `columns` of the one row of `other` with the same `on`, absent where there is none."""

    def filled(self, column: str, otherwise: str) -> Table:
        """Fill an absent `column` with the value of column `otherwise`."""

    def only_where(self, condition: Expr, *columns: str) -> Table:
        """Make `columns` absent where `condition` is not true."""

    def matching(self, other: Table, on: Sequence[str]) -> Table:
        """Return the rows whose `on` is found in `other`."""

    def plus(self, other: Table) -> Table: ...

    def select(self, *columns: str) -> Table: ...

    def renamed(self, **old: str) -> Table:
        """Return columns `old` under new names: renamed(old="new")."""

    def kept(self, near: Sequence[str], order: Sequence[str]) -> Table:
        """Return the same rows, computed once though read several times; those of the same `near` in one place, in
        order.

        A later `along` a key that begins the order, with an order that is the rest of it, costs no sorting.
        """

    def apart(self, near: Sequence[str], most: int = ...) -> Sequence[Table]:
        """Return the same rows in several tables of about `most` rows, those of one `near` in one of them.

        Rows without `near` are in each of them.
        """

    def like(self, rows: Sequence[Row]) -> Table:
        """Return a table of the same reading, of other rows."""

    def rows(self) -> list[Row]:
        """Return all rows, in no stated order."""
