"""Events that a log has twice with no sign that they happened twice: files overlap, or two appenders write one."""

from __future__ import annotations

from ....model.expr import field
from ....model.sorts import Int
from ..fields import tenure
from ..lines import ALIKE, BROKERS
from ..table.encoding import Flag
from ..table.protocol import Column, Row, Table
from .placed import duplicate, of_controllers


def without_duplicates(events: Table) -> Table:
    """Return events without lines of a tenure that repeat an earlier one of the same partition and millisecond."""
    marked = events.derive(superfluous=duplicate & field("tenure", Int()).eq(tenure))
    return marked.where(~field("superfluous", Flag))


def repeated(events: Table) -> list[Row]:
    """Return by file the number of duplicate lines about partitions, and the first and the last of them."""
    lines = (
        of_controllers(events).without_lines(BROKERS).plus(events.present("journal"))
    )  # a broker's line can be in both
    lines = lines.present("topic", "partition").without_lines(ALIKE).where(duplicate)
    return lines.grouped(("file",), n=Column("count"), first=Column("min", "line"), last=Column("max", "line")).rows()
