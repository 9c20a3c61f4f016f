"""What an observation is: rows that rules are stated over, made from the lines of some partitions or from histories."""

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
    """A table that several observations are made from.

    Args:
        lines: ids of the rows of the line table that it is made of.
        of_events: makes it from the placed events of some partitions. None: it is made from histories, or other inputs.
        of: the inputs that it is made of instead, by `of_inputs`, each made of placed events.
        excuses: names of what may explain a finding on its rows (doubt/excuses/).
    """

    name: str
    lines: tuple[str, ...] = ()
    of_events: Callable[[Table], Table] | None = None
    of: tuple[Input, ...] = ()
    of_inputs: Callable[..., Table] | None = None
    excuses: Names = ("order",)

    @property
    def of_lines(self) -> bool:
        """Whether it is made of lines, not of histories."""
        return self.of_events is not None or self.of_inputs is not None


@dataclass(frozen=True)
class Observation:
    """Rows for rules, in one table.

    Args:
        name: what rules name it by.
        made_from: its input.
        lines: ids of the rows of the line table that `make` takes from the input; all others it leaves out.
        columns: what rules may read, with its sort.
        make: the rows, from the input, the key and the order. They have at least `columns`; any value may be absent.
        key: each row is compared with earlier rows that are equal in these columns. Empty: it is compared with none.
        order: of the rows of one key.
        counted_by: columns by which rows are counted apart, for diagrams; all values of others count together.
        between: ids of lines that never stand between a row and the one before it: what does is of another pair.

    Raises:
        UnknownNameError: a column of key, order or counted_by is not declared.
    """

    name: str
    made_from: Input
    lines: tuple[str, ...]
    columns: Mapping[str, Sort]
    make: Callable[[Table, Names, Names], Table]
    key: Names = ()
    order: Names = ()
    counted_by: Names = ()
    between: Names = ()

    def __post_init__(self) -> None:
        for name in (*self.key, *self.order, *self.counted_by):
            if name not in self.columns:
                raise unknown(f"column of the observation {self.name}:", name, self.columns)

    def of(self, rows: Table) -> Table:
        """The observation, made from rows of its input."""
        return self.make(rows, self.key, self.order)
