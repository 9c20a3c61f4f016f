"""Lines below others that were written later: the file is not in the order in which it was written."""

from __future__ import annotations

from ...fields import TENURE
from ...history.doubts import DISORDERED
from ...observe.placed import late
from ...table.protocol import Column, Row, Table
from ..sign import Sign


def late_tenures(events: Table) -> list[Row]:
    """The tenures (file, controller, epoch) that have such a line; duplicates are to be left out before."""
    found = events.where(late).grouped(TENURE, n=Column("count"))
    return [{name: row[name] for name in TENURE} for row in found.rows()]


SIGN = Sign(
    "late",
    "a line stands below one that was written later",
    DISORDERED,
    lambda evidence: [(row["file"], row["controller"], row["controller_epoch"]) for row in evidence.looked["late"]],
)
