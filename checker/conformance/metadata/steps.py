"""The steps that a record may come of, the likelier ones first.

A batch holds what one event of the controller wrote, or several events. What stands in it before and after a record
tells of which broker the controller was speaking: the change of a registration follows the changes of partitions that
it causes, but that a broker is unfenced, or begins to shut down, comes before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ....model.kraft import state as fields
from ....model.sorts import Value
from ...audit.observe.kraft.state import Partition
from .projection import Projection
from .relation import Step


class Registered(NamedTuple):
    """A record about a broker's registration: the step that it is of, and the offset where it stands."""

    step: str
    broker: int
    offset: int


_CHANGED = {1: "Fence", -1: "Unfence"}


def registered(type: str, data: dict[str, Any], offset: int) -> Registered | None:
    """What a record says of a registration; None if it is about something else."""
    if type == "REGISTER_BROKER_RECORD":
        return Registered("Register", data["brokerId"], offset)
    if type == "UNREGISTER_BROKER_RECORD":
        return Registered("Unregister", data["brokerId"], offset)
    if type in ("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD"):
        return Registered("Fence" if type.startswith("F") else "Unfence", data["id"], offset)
    if type == "BROKER_REGISTRATION_CHANGE_RECORD":
        step = _CHANGED.get(data.get("fenced", 0))
        if step is None:
            step = "ShutDown" if data.get("inControlledShutdown") else "LoseDirectory" if data.get("logDirs") else None
        return None if step is None else Registered(step, data["brokerId"], offset)
    return None


AFTER = ("Fence", "Unregister", "Register", "LoseDirectory")
"""Steps whose changes of partitions stand before the record of the registration."""


def of_broker(step: str, broker: int, to: int) -> Iterator[Step]:
    """The ways of a step that is about a broker."""
    for clean in (False, True) if step == "Register" else (False,):
        for ends in (False, True):
            yield Step(step, {"b": broker, "to": to, "ends": ends, "clean": clean}, {})


def created(projection: Projection, after: Partition) -> Step:
    return Step("CreateTopic", {"to": projection.one(after.leader)}, {"wanted": projection.places(after.replicas)})


def of_change(
    projection: Projection, before: Partition, after: Partition, batch: Sequence[Registered], offset: int
) -> Iterator[Step]:
    """The steps that may have changed a partition so."""
    to = projection.one(after.leader)
    yield from _of_registrations(projection, to, batch, offset)
    for ends in (False, True):
        params = {"to": to, "ends": ends}
        yield from (Step("AlterPartition", params, each) for each in _requests(projection, before, after))
        yield Step("ElectPreferred", params, {})
        yield Step("ElectUnclean", params, {})
        staying = [each for each in after.replicas if each not in after.removing]
        yield Step("Reassign", params, {"wanted": projection.places(staying)})
        yield Step("Cancel", params, {})


def _of_registrations(projection: Projection, to: int, batch: Sequence[Registered], offset: int) -> Iterator[Step]:
    for each in batch:
        number = projection.numbers.get(each.broker)
        if number is None or (each.step in AFTER) != (offset < each.offset):
            continue
        for step in of_broker(each.step, number, to):
            hidden = {}
            if each.step == "Unfence":
                states = list(projection.registrations())
                states[number] = fields.FENCED
                hidden = {"registration": tuple(states)}
            yield step._replace(hidden=hidden)
    for id in projection.ids:  # it leads more than one event could take from it, or no record tells that it leaves
        there = projection.cluster.brokers.get(id)
        if there is not None and not there.fenced:
            yield from of_broker("ShutDown", projection.one(id), to)


def _requests(projection: Projection, before: Partition, after: Partition) -> Iterator[dict[str, Value]]:
    """What the leader may have asked for: who was to be removed may have been in the ISR that it named."""
    sender = projection.one(before.leader)
    leaving = {before.leader} & {*before.removing}
    isr = projection.set({*after.isr, *leaving})
    nobody: frozenset[int] = frozenset()
    for recovering in dict.fromkeys((after.recovering == 1, before.recovering == 1)):
        yield {"request": (sender, 0, 0, isr, recovering, nobody)}
