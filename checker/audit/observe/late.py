"""Lines that stand below others which were written later: the file is not in the order of writing."""

from __future__ import annotations

from ..fields import TENURE
from ..table.protocol import Column, Row, Table
from .placed import late


def late_tenures(events: Table) -> list[Row]:
    """Return the tenures (file, controller, epoch) that have such a line; duplicates must be removed first; a look."""
    found = events.where(late).grouped(TENURE, n=Column("count"))
    return [{name: row[name] for name in TENURE} for row in found.rows()]
