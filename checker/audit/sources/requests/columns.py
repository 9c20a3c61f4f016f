"""Requests as brokers handle them, whole; rows of handled.py, of those that do not fit."""

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
"""How many of its partitions lines of the broker are about, while it handles the request."""
before_id, before_of, of = field("before_id", Int()), field("before_of", Int(0)), field("of", Int(0))
"""The correlation id of the request before it; which kind that was, and this is."""
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
    """`compared`: its rows name a line before."""
    every = {**_ROW, **(_BEFORE if compared else {}), **columns}
    return Observation(name, made_from=Input(name), lines=(), columns=every, make=_as_they_are)


REQUESTS_ANSWERED = _observation("requests_answered", sorts(count, answered))
"""LeaderAndIsr requests from where a broker begins to handle them to where it ends, that are not answered whole."""

REQUESTS_IN_TURN = _observation("requests_in_turn", sorts(of, before_of, before_id))
"""Requests whose correlation id is not above that of the same controller's request before."""

METADATA_RECEIVED = _observation("metadata_received", sorts(controller_epoch, was(controller_epoch)))
"""UpdateMetadata requests that were taken, with the greatest controller epoch that the process had heard of."""


REQUESTS_REFUSED = _observation("requests_refused", _EPOCHS, compared=False)
"""Requests that are refused since their controller's epoch is old, and that have no older one than the broker knows."""
