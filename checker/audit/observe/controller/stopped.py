"""Moves that were refused or failed, each with the throwable that gives the reason."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int
from ...lines import REASONS, STOPPED
from ...table.protocol import Table
from ..observation import Input

_LINES = (*STOPPED["replica"], *STOPPED["partition"])


def _with_reason(events: Table) -> Table:
    """Add `thrown`, the row of the line table that the throwable matches, and its values; it is the line just after.

    All of it is absent where there is none.
    """
    thrown = (
        events.of_lines(REASONS)
        .derive(line=field("line", Int()) - 1)
        .renamed(row="thrown", valid_states="thrown_valid_states", from_state="thrown_from_state")
    )
    columns = ("thrown", "thrown_valid_states", "thrown_from_state")
    return events.of_lines(_LINES).attached(thrown, ("file", "line"), columns)


STOPPED_MOVES = Input("stopped moves", (*_LINES, *REASONS), _with_reason)
