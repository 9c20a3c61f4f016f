"""The result of a source, to be judged: rows that may not fit, and the number of those that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..table.protocol import Row, Table, Tables

Note = tuple[int, str]
"""A cluster, and a note about it."""
Shown = tuple[str, Row]
"""The name of an observation, and a row of it."""


@dataclass
class Source:
    """Rows of observations, and notes from collecting them."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    """Rows by the name of their observation."""
    fit: Counter[tuple[int, str]] = field(default_factory=Counter)
    """The number of further rows that fit and are not carried, by cluster and observation."""
    notes: list[Note] = field(default_factory=list)

    def add(self, observation: str, rows: Iterable[Row]) -> None:
        """Add rows of an observation."""
        self.rows.setdefault(observation, []).extend(rows)

    def extend(self, shown: Iterable[Shown]) -> None:
        """Add rows with their observations."""
        for observation, row in shown:
            self.add(observation, (row,))

    def tables(self, tables: Tables) -> Mapping[str, Table]:
        """Return a table for each observation."""
        return {name: tables.of_rows(rows) for name, rows in self.rows.items()}
