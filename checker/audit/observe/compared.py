"""Rows with values of an earlier row of the same key, in columns `before_*`."""

from __future__ import annotations

from collections.abc import Mapping

from ....model.expr import Expr, either, field, ite
from ....model.sorts import Int, Sort
from ..fields import (
    block,
    controller_epoch,
    gap,
    known_since,
    lossy,
    partition_epoch,
    sorts,
    tenure,
)
from ..table.protocol import Column, Table
from .observation import Names

LINE = ("line", "file")
"""The columns that identify the line of a row."""
LINE_BEFORE: Mapping[str, Sort] = {f"before_{name}": Int(0) for name in LINE}
"""The columns of `earlier(*LINE)`."""
_CARRIED = ("tenure", "block", "controller_epoch", "known_since", *LINE)


def was(column: Expr) -> Expr:
    """Return an earlier row's value of a column."""
    return field(f"before_{column.data}", column.sort)


next_version = partition_epoch.eq(was(partition_epoch) + 1)
same_version = partition_epoch.eq(was(partition_epoch))

gap_in_tenure = either(lossy, ~block.eq(was(block)))
"""True if lines may be missing since the row before, which is of the same tenure."""
# The previous row by version can be of a later epoch, so both ends are checked.
_both_known = (known_since <= was(controller_epoch)) & (was(known_since) <= controller_epoch)
_gap_anywhere = either(lossy, ~ite(tenure.eq(was(tenure)), block.eq(was(block)), _both_known))


def earlier(*names: str, of: Expr | None = None) -> dict[str, Column]:
    """Return columns `before_*` with `names` of the row before, or of the latest earlier row of which `of` is true.

    Rows of which `of` is true must have all the columns.
    """
    return {f"before_{name}": Column("previous", name) if of is None else Column("last", name, of) for name in names}


def earlier_sorts(columns: Mapping[str, Sort], *names: str) -> dict[str, Sort]:
    """Return the sorts of the columns that `earlier` adds, and of `gap`; `columns` are those of a row."""
    return {f"before_{name}": columns[name] for name in names} | sorts(gap)


def compared(table: Table, key: Names, order: Names, *names: str, of: Expr | None = None) -> Table:
    """Return each row with `names` of the row before (see `earlier`), and whether lines may be missing between the
    two.
    """
    return table.along(key, order, **earlier(*names, *_CARRIED, of=of)).derive(gap=_gap_anywhere)


def compared_sorts(columns: Mapping[str, Sort], *names: str) -> dict[str, Sort]:
    """Return the sorts of the columns that `compared` adds; `columns` are those of a row."""
    return earlier_sorts(columns, *names, *_CARRIED)
