"""The lines that an audit asks for, by what they say: sets of ids of rows of the line table (specs/lines)."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.expr import Expr, either, field
from ...model.sorts import Enum
from ...specs.lines import rows as line_rows

MOVED: Mapping[str, tuple[str, ...]] = {"replica": ("SC1",), "partition": ("SC3", "SC4", "SC5")}
"""Lines of a move that was made."""
STOPPED: Mapping[str, tuple[str, ...]] = {"replica": ("SC2",), "partition": ("SC6",)}
"""Lines of a move that was refused or failed: the state did not change."""
CREATED = ("SC3",)
ELECTED = ("SC4",)
REQUESTED = ("SC9",)
TOLD = ("SC10",)
REASSIGNED = ("SC14",)
REMOVED = ("SC17",)
REFUSED = ("TH.refused-replica", "TH.refused-partition")
"""First lines of the throwables with which Kafka refuses a move."""
THROWN = tuple(id for id in line_rows() if id.startswith("TH."))
HEARD = ("BR.received", "BR.cached", "BR.metadata")
"""Lines in which a broker names a controller and its epoch."""
READY = ("CL.ready",)
"""The line with which a controller's start ends."""
READ = ("CL.epoch-read",)
"""Lines in which a coming controller prints the epoch of the one before: it does not have that epoch itself."""
INACTIVE = ("CL.starting", "CL.elected", "CL.resigned", "CL.elected-other", "CL.session-expired")
"""Lines of a broker's controller module that it also writes when another broker is controller."""
VIEWS = ELECTED + REQUESTED + TOLD + REASSIGNED + REMOVED
"""Lines that print a partition's leader and ISR."""
MACHINES = tuple(id for id in line_rows() if id.startswith("SC"))
"""Lines that a controller writes to state-change.log."""
DONE = (*MOVED["replica"], *MOVED["partition"], *STOPPED["replica"], *STOPPED["partition"], *REASSIGNED, *REMOVED)
FACTS = tuple(sorted({*MOVED["replica"], *MOVED["partition"], *STOPPED["replica"], *STOPPED["partition"], *VIEWS}))

LINE = Enum("Line", tuple(line_rows()))
line = field("row", LINE)


def is_line(rows: tuple[str, ...]) -> Expr:
    """Whether a line is one of these rows of the line table."""
    return either(*(line.eq(row) for row in rows))
