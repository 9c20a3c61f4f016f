"""A shortest way to what goes wrong, in words and as the records that the cluster would write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.sorts import Value
from ...model.step import Reference, State
from ..audit.sources.metadata.state import Cluster
from ..conformance.metadata.simulate import StepLog
from ..explore.program import Move
from ..explore.trace import EngineError
from .environment import started
from .now import Now
from .plan import Key
from .shapes import Kind

_LISTS = frozenset({"replicas", "isr", "removingReplicas", "addingReplicas", "eligibleLeaderReplicas", "lastKnownElr"})
_SINGLE = frozenset({"leader", "brokerId", "id"})
_NOT_SHOWN = frozenset({"incarnationId", "logDirs", "directories", "features", "endPoints"})
"""Fields whose values are chosen by brokers."""


@dataclass(frozen=True)
class StoryStep:
    """One step of a story."""

    action: str
    """The model's step."""
    broker: int | None
    """The broker that it is about."""
    text: str
    """The event, in words."""
    leader: int | None
    """The leader afterwards; None: there is none."""
    isr: tuple[int, ...]
    """The ISR afterwards, in the order of ids."""
    elr: tuple[int, ...]
    """The eligible leader replicas afterwards."""
    records: tuple[str, ...]
    """The records that the controller writes, without what brokers choose (incarnations, directories)."""


@dataclass(frozen=True)
class Story:
    """A way from the present state."""

    topic: str
    partition: int
    brokers: tuple[int, ...]
    """The replicas, and others that the way is about."""
    steps: tuple[StoryStep, ...]


def story(kind: Kind, start: State, moves: Sequence[Move], key: Key, ids: Sequence[int], now: Now) -> Story:
    """Return a way as it is told of one partition; each step is executed by the reference, with epochs.

    Raises:
        EngineError: the reference cannot take a step.
    """
    steps = list(_executed(kind, start, moves))
    state = now.state
    log = StepLog(state.level, kind.eligible)
    log.offset = now.offset + 1
    log.epochs = {number + 1: state.brokers[id].epoch for number, id in enumerate(ids) if id in state.brokers}
    return Story(*key, tuple(ids), tuple(_told(each, log, ids, key, state) for each in steps))


@dataclass(frozen=True)
class _Executed:
    """A step that the reference took."""

    action: str
    params: Mapping[str, Value]
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def _executed(kind: Kind, start: State, moves: Sequence[Move]) -> Iterator[_Executed]:
    instance = kind.unreduced()
    names = [each.name for each in instance.model.fields]
    begun = started(instance.model, dict(zip(names, start, strict=True))).instance(**instance.settings)
    reference = Reference(begun)
    state = reference.initial()
    for move in moves:
        wanted = [(move.action.name, move.binding)]
        if reference.take(state, *wanted[0]) is None and move.action.name == "Ask":
            wanted.insert(0, ("Forget", {}))  # an earlier request is stale
        for action, params in wanted:
            taken = reference.take(state, action, params)
            if taken is None or taken.overflows:
                raise EngineError(f"the reference cannot take {action}{dict(params)} in {state}")
            before, after = (dict(zip(names, each, strict=True)) for each in (state, taken.state))
            yield _Executed(action, params, before, after)
            state = taken.state


def _told(step: _Executed, log: StepLog, ids: Sequence[int], key: Key, state: Cluster) -> StoryStep:
    number = step.params.get("b")
    broker = ids[number] if isinstance(number, int) else None
    written = log.of_step(step.action, number, step.before, step.after)
    records = tuple(_record(kind, data, ids, key, state) for kind, _, data in written)
    log.offset += len(records)
    after = step.after
    return StoryStep(
        step.action,
        broker,
        _text(step, broker, ids),
        None if after["leader"] < 0 else ids[after["leader"]],
        tuple(sorted(ids[each] for each in after["isr"])),
        tuple(sorted(ids[each] for each in after.get("elr", ()))),
        records,
    )


def _record(kind: str, data: Mapping[str, Any], ids: Sequence[int], key: Key, state: Cluster) -> str:
    """Return a record with the cluster's own ids."""
    shown: dict[str, Any] = {}
    for name, value in data.items():
        if name in _LISTS:
            shown[name] = [ids[each - 1] for each in value]
        elif name in _SINGLE:
            shown[name] = value if value < 0 else ids[value - 1]
        elif name == "topicId":
            shown[name] = state.ids[key[0]]
        elif name == "partitionId":
            shown[name] = key[1]
        elif name not in _NOT_SHOWN:
            shown[name] = value
    return f"{kind} {json.dumps(shown)}"


def _text(step: _Executed, broker: int | None, ids: Sequence[int]) -> str:
    before, after, number = step.before, step.after, step.params.get("b")
    match step.action:
        case "Fence" if number in before["stopping"]:
            return f"Broker {broker} has stopped, and is fenced."
        case "Fence":
            return f"Broker {broker} fails: its session ends, and it is fenced."
        case "ShutDown":
            return f"Broker {broker} is restarted: it asks for a controlled shutdown."
        case "Register" if step.params.get("clean") is False:
            return f"Broker {broker} comes back after a stop that was not clean: it registers."
        case "Register":
            return f"Broker {broker} comes back: it registers."
        case "Unfence":
            return f"Broker {broker} has caught up with the metadata log, and is unfenced."
        case "LoseDirectory":
            return f"The directory of the replica on broker {broker} fails."
        case "Ask" if number == before["leader"]:
            return f"The leader, broker {broker}, has recovered, and says so."
        case "Ask":
            return f"Broker {broker} has caught up: the leader asks for it in the ISR."
        case "AlterPartition":
            return "The controller writes the ISR that the leader asked for."
        case "Forget":
            return "A request of the leader is lost, or refused."
        case "Reassign":
            return "The reassignment is requested."
        case "ElectPreferred":
            return f"Broker {ids[after['leader']]}, the preferred replica, is elected."
        case _:
            return f"Broker {ids[after['leader']]} is elected uncleanly."
