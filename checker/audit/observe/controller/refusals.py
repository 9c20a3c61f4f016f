"""Moves that Kafka's own guard refused."""

from __future__ import annotations

from .....model.expr import either, field
from .....model.sorts import SetOf
from ...fields import STATE, sorts
from ...lines import LINE, REFUSED, STOPPED
from ...table.protocol import Table
from ..observation import Names, Observation
from ..placed import PLACED
from .stopped import STOPPED_MOVES


def _refusals(stopped: Table, *_: Names) -> Table:
    refused = either(*(field("thrown", LINE).eq(row) for row in REFUSED))
    return stopped.where(refused).present("thrown_from_state")


REFUSALS = Observation(
    "refusals",
    made_from=STOPPED_MOVES,
    lines=(*STOPPED["replica"], *STOPPED["partition"], *REFUSED),
    columns={**PLACED, **sorts(field("thrown_from_state", STATE), field("thrown_valid_states", SetOf(STATE)))},
    make=_refusals,
)
"""Moves that were refused, each with the state and the valid previous states that its throwable names."""
