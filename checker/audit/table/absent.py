"""Truth values where absent means false: an event that a line does not print did not happen there."""

from __future__ import annotations

from ....model.expr import false
from .protocol import Table


def false_where_absent(table: Table, *columns: str) -> Table:
    """Return the table with `columns` present everywhere."""
    table = table.derive(false=false)
    for column in columns:
        table = table.filled(column, "false")
    return table
