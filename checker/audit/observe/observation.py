"""Observations: rows that rules are stated over, made from the lines of some partitions or from histories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....model.sorts import Sort
from ....specs.errors import unknown
from ..table.protocol import Table

Names = tuple[str, ...]
"""Names of columns."""


@dataclass(frozen=True)
class Input:
    """A table that several observations are made from."""

    name: str
    lines: tuple[str, ...] = ()
    """Ids of the rows of the line table from which it is made."""
    of_events: Callable[[Table], Table] | None = None
    """Makes it from the placed events of some partitions. None: it is made from histories, or other inputs."""
    of: tuple[Input, ...] = ()
    """The inputs from which `of_inputs` makes it instead, each made from placed events."""
    of_inputs: Callable[..., Table] | None = None
    excuses: Names = ("order",)
    """Names of what may explain a finding on its rows (doubt/excuses/)."""

    @property
    def of_lines(self) -> bool:
        """True if it is made from lines, not from histories."""
        return self.of_events is not None or self.of_inputs is not None


@dataclass(frozen=True)
class Observation:
    """Rows for rules, in one table.

    Raises:
        UnknownNameError: a column of key, order or counted_by is not declared.
    """

    name: str
    """The name by which rules refer to it."""
    made_from: Input
    """Its input."""
    lines: tuple[str, ...]
    """Ids of the rows of the line table that `make` takes from the input; it drops all others."""
    columns: Mapping[str, Sort]
    """The columns that rules may read, with their sorts."""
    make: Callable[[Table, Names, Names], Table]
    """Returns the rows, from the input, the key and the order. They have at least `columns`; any value may be
    absent.
    """
    key: Names = ()
    """Each row is compared with earlier rows that are equal in these columns. Empty: with none."""
    order: Names = ()
    """The order of the rows of one key."""
    counted_by: Names = ()
    """Columns by which rows are counted separately, for diagrams; all values of others count together."""
    between: Names = ()
    """Ids of lines that never stand between a row and its previous one: such a line belongs to another pair."""

    def __post_init__(self) -> None:
        for name in (*self.key, *self.order, *self.counted_by):
            if name not in self.columns:
                raise unknown(f"column of the observation {self.name}:", name, self.columns)

    def of(self, rows: Table) -> Table:
        """Return the observation, made from rows of its input."""
        return self.make(rows, self.key, self.order)
