"""The answer for a cluster in ZooKeeper mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....model.cluster.state import Znode
from ....model.step import Reference, State
from ....specs.errors import IsrproofError
from ...audit.sources.metadata.state import BROKER, TOPIC, Cluster
from ...conformance.metadata.contexts import UNCLEAN_ELECTION
from ...explore.program import Move
from ...explore.trace import EngineError
from ..answer import Answer, Searched, searched
from ..environment import started
from ..now import NotKnownError
from ..plan import Key, Plan, Question, configure, plan
from ..quorum import QuorumAnswer
from ..shapes import DEFAULT_MIN_ISR, Shapes
from ..story import Story, StoryStep
from .environment import MOST_BROKERS, ZooKeeperKind, numbered, search_of, state_of
from .now import ZooKeeperNow, must_be_named, now, too_little

_HELD = tuple(name for name, _ in Znode.fields)
_OF_METADATA = ("restart", "reassign", "remove_voter", "add_voter")
"""The parts of a question that logs of ZooKeeper mode do not show enough for."""
_MOST_REPLICAS = 3
"""The most replicas of a partition in model `cluster`."""


def whatif(paths: Sequence[str], asked: Question) -> Answer | None:
    """Answer whether faults are safe in the cluster whose logs are in files and folders; None: no controller of
    ZooKeeper mode printed a state.

    Raises:
        IsrproofError: misuse, or the logs cannot be read.
        NotKnownError: the logs do not show a state that a controller has left.
    """
    if asked.at is not None and asked.at.isdigit():
        raise IsrproofError(f"--at {asked.at}: logs of ZooKeeper mode have no offsets; give a time")
    there = now(paths, asked.at)
    if there is None:
        return None
    if there.controller not in there.live:
        raise NotKnownError(
            f"the last controller, {there.controller}, is not among the live brokers that it prints: the next one's "
            "log is not here"
        )
    if given := [f"--{name.replace('_', '-')}" for name in _OF_METADATA if getattr(asked, name) is not None]:
        raise IsrproofError(f"{', '.join(given)}: only a metadata log of KRaft shows enough for that")
    configure(there.state, asked.sets)
    return answer(there, plan(there.state, asked), must_be_named(there, asked.release))


def answer(there: ZooKeeperNow, planned: Plan, release: str) -> Answer:
    """Answer whether faults are safe in a cluster."""
    kinds: dict[ZooKeeperKind, Shapes] = {}
    too_large: list[Key] = []
    assumed: set[str] = set()
    for partition in there.state.all():
        key = partition.topic, partition.number
        ids = numbered(partition, there.live, there.controller, planned)
        if len(partition.replicas) > _MOST_REPLICAS or len(ids) > MOST_BROKERS:
            too_large.append(key)
            continue
        unclean = _unclean(there.state, partition.topic)
        min_isr = there.state.min_isr(partition)
        if unclean is None or min_isr is None:
            assumed.add(partition.topic)
        kind = ZooKeeperKind(release, bool(unclean), len(ids), len(planned.named) + planned.spare)
        state = state_of(
            *(kind, partition, ids, there.live, there.controller, min_isr or DEFAULT_MIN_ISR, planned),
        )
        kinds.setdefault(kind, Shapes()).add(state, (key, tuple(ids)))
    result = searched(kinds, search_of)
    left_out = tuple(_left_out(there, too_large))
    return Answer(
        "unsafe" if any(result.found.values()) else "unknown" if left_out else "safe",
        planned,
        result.found,
        result.already,
        QuorumAnswer("unknown", (), (), 0),
        _path(result),
        None,
        (),
        tuple(_assumes(assumed, release)),
        left_out,
        release,
        None,
        there.time,
        sum(1 for _ in there.state.all()) + len(there.not_shown),
        sum(len(each.states) for each in kinds.values()),
        result.states,
    )


def _unclean(state: Cluster, topic: str) -> bool | None:
    own = state.configs.get((TOPIC, topic), {})
    configured = own.get(UNCLEAN_ELECTION, state.configs.get((BROKER, ""), {}).get(UNCLEAN_ELECTION))
    return None if configured is None else configured == "true"


def _left_out(there: ZooKeeperNow, too_large: Sequence[Key]) -> Iterator[str]:
    if there.not_shown:
        yield too_little(there)
    if too_large:
        named = ", ".join(f"{topic}-{number}" for topic, number in sorted(too_large)[:3])
        many = "partition" if len(too_large) == 1 else "partitions"
        yield f"{len(too_large)} {many} with too many brokers for model cluster, among them {named}"


def _assumes(assumed: set[str], release: str) -> Iterator[str]:
    yield f"the brokers run Kafka {release}, the newest that the wordings of the lines allow (--release chooses)"
    if assumed:
        yield (
            "min.insync.replicas is 1 and unclean.leader.election.enable is false, Kafka's defaults, where --set does "
            "not say otherwise: no line shows them"
        )
    yield "the states are those that these lines show last: what changed since, no line shows"
    yield "the controller has settled: it knows the live brokers, and has nothing to do"
    yield "a replica that is alive and in the ISR keeps up: no leader asks for a smaller ISR"
    yield "requests reach brokers, and brokers do what they say"
    yield "ZooKeeper answers; its ensemble is in no log of Kafka"
    yield "no reassignment and no deletion goes on"


def _path(result: Searched[ZooKeeperKind]) -> Story | None:
    worst = result.worst
    if worst is None:
        return None
    key, ids = min(worst.shapes.members[worst.number])
    steps = _executed(worst.kind, list(worst.shapes.states)[worst.number], worst.way.moves(worst.number))
    return Story(*key, ids, tuple(_told(*each, ids) for each in steps))


def _executed(kind: ZooKeeperKind, start: State, moves: Sequence[Move]) -> Iterator[tuple[Move, Mapping[str, Any]]]:
    """Yield the steps of a way with the state after each, taken by the reference.

    Raises:
        EngineError: the reference cannot take a step.
    """
    instance = kind.instance()
    begun = started(instance.model, dict(zip(kind.names, start, strict=True))).instance(**instance.settings)
    reference = Reference(begun)
    state = reference.initial()
    for move in moves:
        taken = reference.take(state, move.action.name, move.binding)
        if taken is None or taken.overflows:
            raise EngineError(f"the reference cannot take {move.action.name}{dict(move.binding)} in {state}")
        yield move, dict(zip(kind.names, taken.state, strict=True))
        state = taken.state


def _told(move: Move, after: Mapping[str, Any], ids: Sequence[int]) -> StoryStep:
    held = dict(zip(_HELD, after["znode"][0], strict=True))
    number = next((move.binding[name] for name in ("b", "one", "c") if name in move.binding), None)
    broker = ids[number] if isinstance(number, int) else None
    return StoryStep(
        move.action.name,
        broker,
        _text(move, broker, ids),
        None if held["leader"] is None else ids[held["leader"]],
        tuple(sorted(ids[each] for each in held["isr"])),
        (),
        (),
    )


def _text(move: Move, broker: int | None, ids: Sequence[int]) -> str:
    match move.action.name:
        case "Die":
            return f"Broker {broker} dies, and its session ends."
        case "ComeBack":
            return f"Broker {broker} starts again, and registers."
        case "Elect":
            return f"Broker {broker} becomes controller."
        case "LeaderExpandsIsr":
            return f"Broker {broker} has caught up: the leader takes it into the ISR."
        case _:
            controller = move.binding.get("c")
            who = f"Controller {ids[controller]}: " if isinstance(controller, int) else ""
            return f"{who}{move.action.statement}"
