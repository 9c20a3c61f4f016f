"""What a source gives to be judged: rows of what may not fit, and numbers of what does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..table.protocol import Row, Table, Tables

Note = tuple[int, str]
"""A cluster, and what to say of it."""
Shown = tuple[str, Row]
"""The name of an observation, and a row of it."""


@dataclass
class Source:
    """Rows of observations, and what else came to light on the way."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    """Rows by the name of their observation."""
    fit: Counter[tuple[int, str]] = field(default_factory=Counter)
    """How many more rows there are that fit and are not carried, by cluster and observation."""
    notes: list[Note] = field(default_factory=list)

    def add(self, observation: str, rows: Iterable[Row]) -> None:
        """Take rows of an observation."""
        self.rows.setdefault(observation, []).extend(rows)

    def extend(self, shown: Iterable[Shown]) -> None:
        """Take rows with their observations."""
        for observation, row in shown:
            self.add(observation, (row,))

    def tables(self, tables: Tables) -> Mapping[str, Table]:
        """A table for each observation."""
        return {name: tables.of_rows(rows) for name, rows in self.rows.items()}
