"""Whole requests as brokers handle them; rows of handled.py for the requests that do not fit."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.expr import field
from .....model.sorts import Int, Sort
from ...fields import (
    EVENT,
    SPAN,
    broker,
    controller,
    controller_epoch,
    correlation_id,
    count,
    known_controller_epoch,
    releases,
    sorts,
    ts,
)
from ...observe.compared import was
from ...observe.observation import Input, Names, Observation
from ...table.protocol import Table

answered = field("answered", Int())
"""The number of its partitions that lines of the broker mention while it handles the request."""
before_id, before_of, of = field("before_id", Int()), field("before_of", Int(0)), field("of", Int(0))
"""The correlation id of the request before it; the kind of that request, and of this one."""
KINDS = ("LeaderAndIsr", "StopReplica", "UpdateMetadata")
_ROW: Mapping[str, Sort] = {
    **{name: EVENT[name] for name in ("file", "line")},
    **sorts(ts, broker, controller, correlation_id, releases),
    **{name: SPAN[name] for name in ("cluster", "life")},
}
_BEFORE: Mapping[str, Sort] = {f"before_{name}": Int(0) for name in ("file", "line")}
_EPOCHS = sorts(controller_epoch, known_controller_epoch)


def _as_they_are(rows: Table, *_: Names) -> Table:
    return rows


def _observation(name: str, columns: Mapping[str, Sort], *, compared: bool = True) -> Observation:
    """Declare an observation; `compared`: its rows name a line before."""
    every = {**_ROW, **(_BEFORE if compared else {}), **columns}
    return Observation(name, made_from=Input(name), lines=(), columns=every, make=_as_they_are)


REQUESTS_ANSWERED = _observation("requests_answered", sorts(count, answered))
"""LeaderAndIsr requests, from where a broker begins to handle them to where it finishes, that are not answered
completely.
"""

REQUESTS_IN_TURN = _observation("requests_in_turn", sorts(of, before_of, before_id))
"""Requests whose correlation id is not above that of the same controller's previous request."""

METADATA_RECEIVED = _observation("metadata_received", sorts(controller_epoch, was(controller_epoch)))
"""UpdateMetadata requests that were accepted, with the greatest controller epoch that the process already knew."""


REQUESTS_REFUSED = _observation("requests_refused", _EPOCHS, compared=False)
"""Requests that are refused for an old controller epoch that is not below the one that the broker knows."""
