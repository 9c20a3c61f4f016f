"""Changes of a controller's epoch, as histories show them."""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Bool
from ...fields import EVENT, SPAN, controller_epoch, sorts
from ...table.protocol import Table
from ..compared import was
from ..observation import Input, Names, Observation

new_life, taken_back = field("new_life", Bool), field("taken_back", Bool)
"""True if there is evidence that a new life begins; true if the previous epoch comes back later without such
evidence.
"""
CHANGES = Input("changes of epoch")


def _as_they_are(changes: Table, *_: Names) -> Table:
    return changes


EPOCH_CHANGES = Observation(
    "epoch_changes",
    made_from=CHANGES,
    lines=(),
    columns={
        **{name: EVENT[name] for name in ("file", "line", "ts", "controller", "controller_epoch")},
        **sorts(was(controller_epoch), new_life, taken_back),
        "cluster": SPAN["cluster"],
    },
    make=_as_they_are,
)
"""Lines in which a controller claims another epoch than before (history/walk.py)."""
