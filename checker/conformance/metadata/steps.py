"""The steps that may have written a record.

A batch holds what one event of the controller wrote, or several events. The records before and after a record show the
broker that it is about: the change of a registration follows the changes of partitions that it causes, except where a
broker is unfenced, or begins to shut down: then it precedes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....model.kraft import state as model
from ....model.sorts import Value
from .projection import NOBODY, PartitionChange, PartitionRegistration
from .relation import Candidate, State


class Registered(NamedTuple):
    """A record about a broker's registration: the step that wrote it, and its offset."""

    step: str
    broker: int
    offset: int


_CHANGED = {1: "Fence", -1: "Unfence"}
_OF_TYPE = {
    "REGISTER_BROKER_RECORD": ("Register", "brokerId"),
    "UNREGISTER_BROKER_RECORD": ("Unregister", "brokerId"),
    "FENCE_BROKER_RECORD": ("Fence", "id"),
    "UNFENCE_BROKER_RECORD": ("Unfence", "id"),
}
AFTER = frozenset({"Fence", "Unregister", "Register", "LoseDirectory"})
"""Steps whose changes of partitions stand before the record of the registration."""


def registered(type: str, data: Mapping[str, Any], offset: int) -> Registered | None:
    """Return the change of a registration in a record; None if it is about something else."""
    if type in _OF_TYPE:
        step, name = _OF_TYPE[type]
        return Registered(step, data[name], offset)
    if type != "BROKER_REGISTRATION_CHANGE_RECORD":
        return None
    action = _CHANGED.get(data.get("fenced", 0))
    if action is None:
        action = "ShutDown" if data.get("inControlledShutdown") else "LoseDirectory" if data.get("logDirs") else None
    return None if action is None else Registered(action, data["brokerId"], offset)


def of_broker(step: str, broker: int, to: int, registrations: tuple[str, ...]) -> Iterator[Candidate]:
    """Yield the ways of a step about a broker, whose state before is what the step requires."""
    hidden: dict[str, Value] = {}
    if step in _BEFORE:
        was = list(registrations)
        was[broker] = _BEFORE[step]
        hidden = {"registration": tuple(was)}
    for clean in (False, True) if step == "Register" else (False,):
        for ends in (False, True):
            yield Candidate(step, {"b": broker, "to": to, "ends": ends, "clean": clean}, hidden)


_BEFORE = {"Unfence": model.FENCED}


def of_creation(after: PartitionRegistration) -> Iterator[Candidate]:
    yield Candidate("CreateTopic", {"to": after.leader}, {"wanted": after.place})


def of_change(
    written: PartitionChange, before: PartitionRegistration, after: PartitionRegistration, offline: frozenset[int]
) -> Iterator[Candidate]:
    """Yield the steps that may have made this change of a partition, the likelier ones first."""
    to = after.leader
    for each in written.events:
        if each.later == (each.step in AFTER):
            yield from of_broker(each.step, each.broker, to, written.registrations)
    for ends in (False, True):
        params = {"to": to, "ends": ends}
        yield from (Candidate("AlterPartition", params, each) for each in _requests(before, after))
        yield Candidate("ElectPreferred", params, {})
        yield Candidate("ElectUnclean", params, {})
        yield from (Candidate("Reassign", params, {"wanted": each}) for each in _targets(before, after))
        yield Candidate("Cancel", params, {})
        if written.directories:
            yield Candidate("AssignDirectory", {**params, "b": 0}, {})
    for number, there in enumerate(written.registrations):
        if there in (model.UNFENCED, model.LEAVING):  # no record shows that it asks once more, or that the level is old
            yield from of_broker("ShutDown", number, to, written.registrations)
        if number in offline:  # shown by the record that assigns the directory
            yield from of_broker("LoseDirectory", number, to, written.registrations)


def _targets(before: PartitionRegistration, after: PartitionRegistration) -> dict[tuple[int, ...], None]:
    """Return the replicas that an administrator may have wanted: those that are not to go; all, where an old list of
    those to go was kept; and these too, where the record ends the reassignment."""
    gone = sorted((number for number in before.removing if after.place[number] < 0), key=before.place.__getitem__)
    behind = {number: max(after.place) + 1 + at for at, number in enumerate(gone)}
    return dict.fromkeys(
        (
            tuple(NOBODY if number in after.removing else place for number, place in enumerate(after.place)),
            after.place,
            tuple(behind.get(number, place) for number, place in enumerate(after.place)),
        )
    )


def _requests(before: PartitionRegistration, after: PartitionRegistration) -> Iterator[State]:
    """Yield the requests that the leader may have sent: a replica to be removed may have been in the ISR it named."""
    if before.leader < 0:
        return
    isr = after.isr | ({before.leader} & before.removing)
    nobody: frozenset[int] = frozenset()
    for recovering in dict.fromkeys((after.recovering, before.recovering)):
        yield {"request": (before.leader, 0, 0, isr, recovering, nobody)}


def untouched(
    step: str, broker: int, seen: PartitionRegistration, registrations: tuple[str, ...]
) -> Iterator[Candidate]:
    """The ways of a step about a broker that leave a partition as it is."""
    was = list(registrations)
    was[broker] = {"Fence": model.UNFENCED, "Unfence": model.FENCED}.get(step, registrations[broker])
    for clean in (False, True) if step == "Register" else (False,):
        params = {"b": broker, "to": seen.leader, "ends": False, "clean": clean}
        yield Candidate(step, params, {"registration": tuple(was)})


def of_registration(step: str) -> Iterator[Candidate]:
    """The ways of a step about the only broker that there is, in a cluster without the partition."""
    for clean in (False, True) if step == "Register" else (False,):
        yield Candidate(step, {"b": 0, "to": NOBODY, "ends": False, "clean": clean}, {})
