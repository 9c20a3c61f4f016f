"""Records of a metadata log, applied to a fold in order.

Records between the begin of a metadata transaction and its abort never happened; those between begin and end happen at
the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .....specs.metadata.levels import NAME, jars
from .....traces.metadata.batches import Record
from .....traces.metadata.reader import NO_OP_RECORD
from ...files.metadata import Segment
from .columns import BEGINNINGS, TRANSACTIONS
from .deposed import OF_BROKERS
from .fold import Fold, Handler
from .records import brokers, cluster, control, partitions, topics
from .records.partitions import CHANGE, change
from .rows import At
from .state import Cluster, Data, newest_level
from .unsure import Unsure

_new = tuple.__new__
"""Creates a named tuple in half the time that its class takes."""
_BEGIN, _END, _ABORT = "BEGIN_TRANSACTION_RECORD", "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD"
_HANDLERS: Mapping[str, Handler] = {
    **cluster.HANDLERS,
    **topics.HANDLERS,
    **partitions.HANDLERS,
    **brokers.HANDLERS,
}


def applied_types() -> frozenset[str]:
    """Return the types of records that are applied; all others are declared to bear on no rule
    (specs/metadata/records.toml).
    """
    return frozenset({*_HANDLERS, *control.HANDLERS, _BEGIN, _END, _ABORT})


def apply(fold: Fold, record: Record, segment: Segment, committed: bool) -> None:
    """Apply a record that does not idle."""
    offset, epoch, time, _, kind, _, data, _, partial = record
    if partial:
        fold.unsure.met(record)
        fold.known_context = None
    if data is None:
        return
    at = _new(At, (fold.cluster, segment.index, offset, time, epoch, committed, kind))
    if kind == CHANGE and fold.held is None and epoch == fold.epoch and fold.first_broker_seen:
        change(fold, data, at)  # most records that are not NoOps
    else:
        _apply(fold, data, at, control_record=record.control)


def snapshot_state(records: Iterable[Record]) -> tuple[Cluster, Unsure]:
    """Return the state that a snapshot's records produce, and what is unsure in it; its history is not examined."""
    fold = Fold(0, first_broker_seen=True)
    nowhere = Segment(0, "")
    for record in records:
        apply(fold, record, nowhere, True)
    return fold.state, fold.unsure


def _apply(fold: Fold, data: Data, at: At, *, control_record: bool) -> None:
    kind = at.record
    if fold.chronicle is not None and kind not in (CHANGE, *OF_BROKERS):
        fold.chronicle.ends()
    if not control_record:
        _follow_transaction(fold, data, at)
    elif kind in control.HANDLERS:
        control.HANDLERS[kind](fold, data, at)
    if kind != CHANGE:
        fold.only_changes_since = at.offset + 1
        if fold.deposed.waiting:
            fold.explained(kind, data)
        fold.known_context = None


def _follow_transaction(fold: Fold, data: Data, at: At) -> None:
    """Apply a record, or hold it until its transaction ends."""
    kind, epoch = at.record, at.controller_epoch
    if epoch > fold.epoch:
        fold.led_by(None, epoch)
    ends = kind in (_END, _ABORT)
    if fold.held is not None and fold.held_since < epoch and not ends and kind != NO_OP_RECORD:
        fold.show(TRANSACTIONS, at, {"open": True, "ends": False, "left_open": True})
        fold.held_since = epoch  # reported once
    if kind == _BEGIN or ends:
        is_open = None if fold.may_be_open and ends else fold.held is not None
        fold.may_be_open = False
        fold.show(TRANSACTIONS, at, {"open": is_open, "ends": ends, "left_open": False})
        held = fold.held or []
        fold.held, fold.held_since = [] if kind == _BEGIN else None, epoch
        if kind == _END:
            for each, place in held:
                _happen(fold, each, place)
    elif fold.held is not None:
        fold.held.append((data, at))
    else:
        _happen(fold, data, at)


def _happen(fold: Fold, data: Data, at: At) -> None:
    if not fold.first_broker_seen:
        _begin(fold, data, at)
    handler = _HANDLERS.get(at.record)
    if handler is not None:
        handler(fold, data, at)
        if at.record != CHANGE:
            fold.known_context = None


def _begin(fold: Fold, data: Data, at: At) -> None:
    """Check at the first registration of a broker whether the log had set its level before."""
    fold.first_data = fold.first_data or at
    if at.record == "REGISTER_BROKER_RECORD":
        fold.first_broker_seen = True
        newest = newest_level(data)
        if newest is not None:
            columns = {"version_named": NAME in fold.state.features, "releases": jars(newest)}
            fold.show(BEGINNINGS, fold.first_data, columns)
