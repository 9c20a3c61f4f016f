"""Events that a log has twice though they happen once: two appenders write to one file, say."""

from __future__ import annotations

from ....model.expr import field
from ....model.sorts import Bool
from ..lines import HAPPENING_ONCE
from ..table.protocol import Table
from .absent import false_where_absent
from .placed import doubled, duplicate


def happening_once(events: Table) -> Table:
    """Moves made and tried, and writes of znodes. (Requests to several brokers are equal, so they are not here.)"""
    return events.of_lines(HAPPENING_ONCE)


def without_duplicates(events: Table) -> Table:
    """Without the lines that say again what the line before says, in tenures that are `doubled`."""
    marked = events.derive(superfluous=duplicate & doubled)
    return false_where_absent(marked, "superfluous").where(~field("superfluous", Bool))
