"""Records about brokers, and registrations of controllers."""

from __future__ import annotations

from collections.abc import Mapping

from ..chronicle import Happened
from ..columns import CONTROLLERS, FENCINGS, REGISTRATIONS
from ..fold import Fold, Handler
from ..rows import At
from ..state import Broker, Data, newest_level

_FENCE, _UNFENCE = 1, -1


def _register(fold: Fold, data: Data, at: At) -> None:
    state, after = fold.state, Broker.of(data)
    before = state.brokers.get(after.id)
    elsewhere = {d for other in state.brokers.values() if other.id != after.id for d in other.directories}
    cleaned = fold.only_changes_since <= after.epoch < at.offset
    columns = {
        "broker": after.id,
        "epoch": after.epoch,
        "last_epoch": state.epochs.get(after.id, -1),
        "same_incarnation": before is not None and before.incarnation == after.incarnation,
        "lag": at.offset - after.epoch,
        "cleaned": cleaned,
        "uncounted": fold.leader_changes[0] <= after.epoch < fold.leader_changes[1] == at.offset,
        "in_batch": after.epoch >= fold.base,
        "shared_directories": sorted(elsewhere & set(after.directories)),
        "registers": True,
        "current": True,
        "fenced": after.fenced,
        "before_fenced": None if before is None else before.fenced,
    }
    fold.show(REGISTRATIONS, at, fold.earlier(at, ("broker", after.id)) | columns)
    if fold.known is not None:
        fold.known.registered(before, after, at, cleaned=cleaned)
    state.register(after)
    if fold.chronicle is not None:
        fold.chronicle.registered(after.id, after.epoch)


def _names_registration(fold: Fold, broker: int, epoch: int, at: At) -> None:
    """Check whether a record about a broker names its registration."""
    there = fold.state.brokers.get(broker)
    if there is None and not fold.state.whole:
        return
    known = None if there is None else there.epoch
    columns = {
        "broker": broker,
        "epoch": epoch,
        "last_epoch": -1 if known is None else known,
        "same_incarnation": False,
        "lag": 0,
        "cleaned": False,
        "uncounted": False,
        "in_batch": True,
        "shared_directories": [],
        "registers": False,
        "current": known == epoch,
        "fenced": None if there is None else there.fenced,
        "before_fenced": None if there is None else there.fenced,
    }
    fold.show(REGISTRATIONS, at, fold.earlier(at, ("broker", broker)) | columns)


def _unregister(fold: Fold, data: Data, at: At) -> None:
    broker = data["brokerId"]
    _names_registration(fold, broker, data["brokerEpoch"], at)
    _handles(fold, "unregister", broker, at)
    if broker in fold.state.brokers:
        _left(fold, broker, at)
    fold.state.brokers.pop(broker, None)
    fold.state.seen(broker)


def _registration_change(fold: Fold, data: Data, at: At) -> None:
    fenced, leaves = data.get("fenced", 0), data.get("inControlledShutdown", 0) == 1
    _names_registration(fold, data["brokerId"], data["brokerEpoch"], at)
    if fenced:
        _set_fenced(fold, data["brokerId"], fenced, at)
    if leaves:
        _handles(fold, "shutdown", data["brokerId"], at)
    elif not fenced and fold.chronicle is not None:
        fold.chronicle.ends()
    broker = fold.state.brokers.get(data["brokerId"])
    if broker is not None:
        broker.in_shutdown = broker.in_shutdown or leaves
        fold.state.seen(broker.id)
        directories = data.get("logDirs") or broker.directories
        if fold.course is not None:
            fold.course.directories(broker, directories, at)
        broker.directories = directories
        broker.cordoned = data.get("cordonedLogDirs", broker.cordoned)


def _fence(fold: Fold, data: Data, at: At) -> None:
    _names_registration(fold, data["id"], data["epoch"], at)
    _set_fenced(fold, data["id"], _FENCE, at)


def _unfence(fold: Fold, data: Data, at: At) -> None:
    _names_registration(fold, data["id"], data["epoch"], at)
    _set_fenced(fold, data["id"], _UNFENCE, at)


def _set_fenced(fold: Fold, broker: int, change: int, at: At) -> None:
    there = fold.state.brokers.get(broker)
    _handles(fold, "fence" if change == _FENCE else "unfence", broker, at)
    if there is None:
        return
    there.fenced = change == _FENCE
    fold.state.seen(broker)
    if there.fenced:
        _left(fold, broker, at)


def _handles(fold: Fold, kind: str, broker: int, at: At) -> None:
    """Record for the chronicle that a broker joins or leaves."""
    if fold.chronicle is not None:
        if kind in ("unfence", "shutdown"):
            fold.chronicle.ends()
        fold.chronicle.handles(kind, broker, Happened.of(at))


def _left(fold: Fold, broker: int, at: At) -> None:
    """Report the ISRs that still contain a fenced or unregistered broker, except as the last member of a leaderless
    partition.
    """
    state = fold.state
    there = (state.partitions[topic][number] for topic, number in state.in_isr(broker))
    still = [each for each in there if each.isr != (broker,) or each.leader >= 0]
    named = sorted(f"{state.names.get(each.topic, each.topic)}-{each.number}" for each in still)
    unsure = fold.unsure.of_some  # the ISRs depend on all partitions
    fold.show(FENCINGS, at, {"broker": broker, "still_in": named}, unsure=unsure)


def _register_controller(fold: Fold, data: Data, at: At) -> None:
    fold.state.controllers[data["controllerId"]] = newest_level(data)


def _unregister_controller(fold: Fold, data: Data, at: At) -> None:
    voters = fold.state.voters or fold.quorum
    if voters is not None:
        columns = {"broker": data["controllerId"], "voters": list(voters)}
        fold.show(CONTROLLERS, at, columns, unsure=fold.unsure.quorum)
    fold.state.controllers.pop(data["controllerId"], None)


HANDLERS: Mapping[str, Handler] = {
    "REGISTER_BROKER_RECORD": _register,
    "UNREGISTER_BROKER_RECORD": _unregister,
    "BROKER_REGISTRATION_CHANGE_RECORD": _registration_change,
    "FENCE_BROKER_RECORD": _fence,
    "UNFENCE_BROKER_RECORD": _unfence,
    "REGISTER_CONTROLLER_RECORD": _register_controller,
    "UNREGISTER_CONTROLLER_RECORD": _unregister_controller,
}
