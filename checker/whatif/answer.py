"""The answer: what the plan can do to each partition and to the quorum, and the shortest way to the worst."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ...model.kraft.kraft import KRAFT
from ...specs.behaviours import behaviour
from ...specs.errors import IsrproofError
from ...specs.metadata.levels import level_name, running
from ...specs.releases import release as release_named
from ..conformance.metadata.contexts import Choices
from ..explore.search import Search
from .now import Now, now
from .order import Order, safe_order
from .plan import Key, Plan, Question, configure, plan
from .quorum import QuorumAnswer, quorum
from .reach import Distances, distances, reached
from .shapes import MOST_BROKERS, UNCLEAN_CONFIGURED, Kind, Shaped, Shapes, release_of, search_of, shapes
from .story import Story, story

MAY_LOSE, WITHOUT_ELIGIBLE, OFFLINE, UNDER_MIN_ISR = KINDS = (
    *("may_lose", "without_eligible_leader", "offline", "under_min_isr"),
)
"""The things that can happen to a partition, in the order of `at_stake`: the gravest first."""
K = TypeVar("K")
ONLY_ELIGIBLE = "KIP-841"
"""The behaviour since which only brokers that are not fenced enter an ISR. The environment does not have that step."""
EXIT = {"safe": 0, "unsafe": 1, "unknown": 3}


@dataclass(frozen=True)
class Answer:
    """The answer to a plan."""

    verdict: str
    """safe, unsafe or unknown."""
    plan: Plan
    found: Mapping[str, tuple[Key, ...]]
    """For each of KINDS the partitions that the plan can bring there, sorted."""
    already: Mapping[str, tuple[Key, ...]]
    """For each of KINDS the partitions that are there now."""
    quorum: QuorumAnswer
    path: Story | None
    """The shortest way to the worst; None if nothing goes wrong with a partition."""
    order: Order | None
    """An order of the restarts in which nothing goes wrong, where it was sought: the given one does not do."""
    instead: tuple[str, ...]
    """Advice for another plan."""
    assumes: tuple[str, ...]
    """Assumptions about what the log does not show."""
    left_out: tuple[str, ...]
    """The parts that were not searched."""
    release: str
    """The release whose controller is asked."""
    offset: int | None
    """The offset of the last record; None: lines showed the state."""
    time: int
    """The time of the last record, or line, in milliseconds."""
    partitions: int
    """The number of partitions."""
    shapes: int
    """The number of shapes that they are."""
    states: int
    """The number of states that were searched."""


def whatif(paths: Sequence[str], asked: Question) -> Answer:
    """Answer whether a plan is safe in the cluster whose metadata log is in files and folders.

    Raises:
        IsrproofError: misuse.
        NotKnownError: the log does not show the state.
    """
    there = now(paths, asked.at)
    configure(there.state, asked.sets)
    return answer(there, plan(there.state, asked), _choices(there, asked.release))


def _choices(there: Now, release: str | None) -> Choices:
    if release is None:
        return Choices()
    mask, level = release_named(release).mask, there.state.level
    KRAFT.release(release)
    if not running(level) & mask:
        raise IsrproofError(f"--release {release}: it does not know the cluster's metadata.version {level_name(level)}")
    return Choices(release=mask)


def answer(there: Now, planned: Plan, chosen: Choices) -> Answer:
    """Answer whether a plan is safe in a cluster."""
    order = None
    if planned.any_order:
        order = safe_order(there, planned, chosen)
        planned = replace(planned, restarts=order.brokers)
    shaped = shapes(there, replace(planned, any_order=False), chosen)
    result = searched(shaped.kinds, search_of)
    of_quorum = quorum(there, planned)
    release = release_of(there.fold, chosen)
    left_out = tuple(_left_out(there, shaped, of_quorum, release))
    bad = any(result.found.values())
    if bad and planned.restarts and order is None:
        order = safe_order(there, planned, chosen)
    if bad and planned.any_order and order is not None:
        left_out += order.left_out
        bad = not order.left_out
    unsafe = bad or of_quorum.verdict == "lost"
    return Answer(
        "unsafe" if unsafe else "unknown" if left_out else "safe",
        planned,
        result.found,
        result.already,
        of_quorum,
        _path(result, there),
        order,
        tuple(_instead(there, planned, result, of_quorum, order)),
        tuple(_assumes(there, planned, shaped, release, chosen)),
        left_out,
        release,
        there.offset,
        there.time,
        sum(map(len, there.state.partitions.values())),
        sum(len(each.states) for each in shaped.kinds.values()),
        result.states,
    )


@dataclass(frozen=True)
class Worst(Generic[K]):
    """The nearest state in which the worst happens, and the partition that it is told of."""

    kind: K
    shapes: Shapes
    number: int
    """The number of the shape."""
    way: Distances


@dataclass(frozen=True)
class Searched(Generic[K]):
    """The result of the search of all shapes."""

    found: Mapping[str, tuple[Key, ...]]
    already: Mapping[str, tuple[Key, ...]]
    worst: Worst[K] | None
    states: int


def searched(kinds: Mapping[K, Shapes], search_of: Callable[[K], Search]) -> Searched[K]:
    """Search all shapes, those of a kind at once."""
    found: dict[str, list[Key]] = {each: [] for each in KINDS}
    already: dict[str, list[Key]] = {each: [] for each in KINDS}
    ranked: tuple[tuple[int, int, int], Worst[K]] | None = None
    states = 0
    for kind, its in kinds.items():
        graph = reached(search_of(kind), list(its.states))
        states += graph.states
        for prop, name in enumerate(KINDS):
            way = distances(graph, prop)
            for number, members in enumerate(its.members):
                length = way.of(number)
                if length is None:
                    continue
                (found if length else already)[name].extend(key for key, _ in members)
                rank = prop, length, -len(members)
                if length and (ranked is None or rank < ranked[0]):
                    ranked = rank, Worst(kind, its, number, way)
    return Searched(
        {name: tuple(sorted(keys)) for name, keys in found.items()},
        {name: tuple(sorted(keys)) for name, keys in already.items()},
        None if ranked is None else ranked[1],
        states,
    )


def _path(result: Searched[Kind], there: Now) -> Story | None:
    if result.worst is None:
        return None
    kind, its, number, way = result.worst.kind, result.worst.shapes, result.worst.number, result.worst.way
    key, ids = min(its.members[number])
    return story(kind, list(its.states)[number], way.moves(number), key, ids, there)


def _assumes(there: Now, planned: Plan, shaped: Shaped, release: str, chosen: Choices) -> Iterator[str]:
    yield from there.assumes
    if not chosen.release:
        yield f"the controller runs Kafka {release}, {_release_shown(there)} (--release chooses)"
    if shaped.min_isr_assumed:
        yield (
            f"min.insync.replicas is 1, Kafka's default, for {_topics(shaped.min_isr_assumed)}: no record shows it, "
            "but brokers may have it in server.properties (--set min.insync.replicas=N)"
        )
    if shaped.unclean_assumed:
        yield (
            f"unclean.leader.election.enable is false, Kafka's default, for {_topics(shaped.unclean_assumed)}: no "
            "record shows it (--set unclean.leader.election.enable=true)"
        )
    if shaped.unclean_ignored:
        yield (
            f"Kafka {release} ignores unclean.leader.election.enable ({UNCLEAN_CONFIGURED}): only an administrator "
            "elects uncleanly, and the plan has no such request"
        )
    yield "a replica that is alive and in the ISR keeps up: no leader asks for a smaller ISR"
    yield "log ends are not in the metadata: what is elected uncleanly may have lost records, or may have all"
    yield "each broker that is not fenced runs: one whose session has not ended yet may be down"
    yield "a broker that comes back has on its disk what it acknowledged, unless the model sees an unclean stop"
    if there.voters - {*there.state.brokers}:
        yield "voters that are no brokers are alive, and stay so"
    if planned.restarts:
        yield "a restart is clean: the controlled shutdown ends before the process does"
    yield "requests that were on their way when the log ends are lost, or come after a change and are refused"


def _release_shown(there: Now) -> str:
    """Return the way in which the log shows the release of the active controller."""
    state, leader = there.state, there.fold.leader
    if leader in state.controllers or leader in state.brokers:
        return "by the newest metadata.version that its registration supports"
    return f"the newest that knows metadata.version {level_name(state.level)}: no record shows the controller's release"


def _topics(names: frozenset[str]) -> str:
    first = sorted(names)[:3]
    more = f" and {len(names) - 3} more topics" if len(names) > 3 else ""
    return f"{', '.join(first)}{more}"


def _left_out(there: Now, shaped: Shaped, of_quorum: QuorumAnswer, release: str) -> Iterator[str]:
    yield from there.left_out
    if not release_named(release).mask & behaviour(ONLY_ELIGIBLE).releases:
        yield f"that a leader takes a fenced broker, which still fetches, into the ISR ({ONLY_ELIGIBLE} ended that)"
    if shaped.too_large:
        few = ", ".join(f"{topic}-{number}" for topic, number in sorted(shaped.too_large)[:3])
        yield f"{_count(len(shaped.too_large))} with more than {MOST_BROKERS} brokers, among them {few}"
    if of_quorum.verdict == "unknown":
        yield "the quorum: nothing in these files names its voters"
    if there.state.migrating:
        yield "the migration from ZooKeeper, which is in progress"


def _instead(
    there: Now, planned: Plan, result: Searched[Kind], of_quorum: QuorumAnswer, order: Order | None
) -> Iterator[str]:
    """Yield advice, each of it read off the state."""
    bad = {key for keys in result.found.values() for key in keys}
    if of_quorum.verdict == "lost":
        yield (
            f"{len(of_quorum.down)} of {len(of_quorum.voters)} voters may be down at once "
            f"({', '.join(map(str, of_quorum.down))}): start those that are down, or add voters, before this"
        )
    if order is not None and order.safe and not planned.any_order:
        yield f"restart them in another order: {', '.join(map(str, order.brokers))}"
    if not bad:
        return
    single, behind = [], []
    for topic, number in sorted(bad):
        partition = there.state.partitions[there.state.ids[topic]][number]
        if len(partition.replicas) == 1:
            single.append((topic, number))
        elif absent := {*partition.replicas} - {*partition.isr}:
            behind.append(((topic, number), absent))
    if behind:
        brokers = sorted({each for _, absent in behind for each in absent})
        (topic, number), absent = behind[0]
        yield (
            f"wait until what {_ids({*brokers})} host is in sync again: "
            f"{_count(len(behind))} above with a replica that is not, {topic}-{number} with that on {_ids(absent)}"
        )
    if single:
        topic, number = single[0]
        yield f"give a second replica to {_count(len(single))} with a single one, {topic}-{number} first"
    fewer = len(bad) - len(behind) - len(single)
    if fewer:
        yield (
            f"{_count(fewer)} fully in sync and still not safe: more replicas are needed, or a smaller "
            "min.insync.replicas, for this plan"
        )


def _count(partitions: int) -> str:
    return f"{partitions} partition{'' if partitions == 1 else 's'}"


def _ids(brokers: set[int]) -> str:
    return ", ".join(map(str, sorted(brokers)))
