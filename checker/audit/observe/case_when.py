"""Columns whose value is printed differently by different lines."""

from __future__ import annotations

from collections.abc import Sequence

from ....model.expr import Expr
from ..table.protocol import Table

Case = tuple[Expr, Expr]
"""A condition, and the value where it is true."""


def case_when(table: Table, **columns: Sequence[Case]) -> Table:
    """Return a table with new columns: the value of the first case whose condition is true and whose value is
    present.
    """
    for name, cases in columns.items():
        names = [name, *(f"{name} {number}" for number in range(1, len(cases)))]
        table = table.derive(**dict(zip(names, (value for _, value in cases), strict=True)))
        for each, (condition, _) in zip(names, cases, strict=True):
            table = table.only_where(condition, each)
        for other in names[1:]:
            table = table.filled(name, other)
    return table
