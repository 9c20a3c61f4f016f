"""Moves that Kafka's own guard refused."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int, SetOf
from ...fields import STATE, sorts
from ...lines import REFUSED, STOPPED
from ...table.protocol import Table
from ..observation import Names, Observation
from ..placed import EVENTS, PLACED

_THROWN = ("thrown_valid_states", "thrown_from_state")


def _refusals(events: Table, *_: Names) -> Table:
    """The throwable is the line just after."""
    thrown = (
        events.of_lines(REFUSED)
        .derive(line=field("line", Int()) - 1)
        .renamed(valid_states="thrown_valid_states", from_state="thrown_from_state")
    )
    stopped = events.of_lines(STOPPED["replica"] + STOPPED["partition"])
    return stopped.attached(thrown, ("file", "line"), _THROWN).present("thrown_from_state")


REFUSALS = Observation(
    "refusals",
    made_from=EVENTS,
    lines=(*STOPPED["replica"], *STOPPED["partition"], *REFUSED),
    columns={**PLACED, **sorts(field("thrown_from_state", STATE), field("thrown_valid_states", SetOf(STATE)))},
    make=_refusals,
)
"""Moves that were refused, each with the state and the valid previous states that its throwable names."""
