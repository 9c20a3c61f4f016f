"""Partitions that look alike: the same state of the model and the plan, with brokers numbered by their place.

Replicas have an order, so numbering them by it makes equal what only the names of brokers tell apart. A reassignment
also orders the replicas that it removes, by their ids: a partition that the plan reassigns keeps the order of ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ...model.kraft.at_stake import at_stake
from ...model.kraft.change import REASSIGNMENT, UNCLEAN_ASKED
from ...model.kraft.state import LEAVING, NOBODY, UNFENCED, UNREGISTERED
from ...model.property import Property
from ...model.protocol import Instance, Model
from ...model.step import State
from ...specs.behaviours import behaviour
from ...specs.releases import release as release_named
from ..audit.sources.metadata.fold import Fold
from ..audit.sources.metadata.state import Cluster, Partition
from ..conformance.metadata.contexts import Choices, RecordContext, context, relations
from ..conformance.metadata.projection import NumberedBrokers, brokers_of
from ..explore.search import Search
from .environment import environment, in_environment
from .now import Now
from .plan import Key, Plan
from .reach import searching

FEWEST_BROKERS, MOST_BROKERS = 3, 7
"""The brokers of the smallest instance that is searched, and of the largest."""
DEFAULT_MIN_ISR = 1
UNCLEAN_CONFIGURED = "KAFKA-12670"
"""The behaviour since which unclean.leader.election.enable has an effect."""
_MANY = 1 << 30


class BrokersByPlace(NumberedBrokers):
    """The brokers of a partition, numbered in a given order; up to a number there are others that nobody registered."""

    def __init__(self, ids: Sequence[int], count: int, cluster: Cluster) -> None:
        super().__init__((), cluster)
        self.ids = [*ids, *range(NOBODY - 1, NOBODY - 1 - count + len(ids), -1)]
        self.numbers = {id: number for number, id in enumerate(self.ids)}


@dataclass(frozen=True)
class Kind:
    """The purpose of one generated program."""

    at: RecordContext
    """The topic's context: release, level, features, configuration."""
    reassigns: bool
    """A reassignment goes on, or is planned."""
    brokers: int
    """The number of brokers of a partition; where it has fewer, the others are not registered."""
    chosen: Choices
    """The user's choice of a release."""

    def instance(self) -> Instance:
        """Return the environment, for as many brokers."""
        return _environment(self.at, self.reassigns, self.chosen, epochs=False).instance(
            brokers=self.brokers, replicas=self.brokers, max_partition_epoch=1
        )

    def unreduced(self) -> Instance:
        """Return the same, with epochs."""
        return _environment(self.at, self.reassigns, self.chosen, epochs=True).instance(
            brokers=self.brokers, replicas=self.brokers, max_partition_epoch=_MANY
        )

    @property
    def eligible(self) -> bool:
        """True if the model has eligible leader replicas."""
        return any(each.name == "elr" for each in _model(self.at, self.reassigns, self.chosen).fields)

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that are at stake, the gravest first."""
        return tuple(map(in_environment, at_stake(self.eligible)))


@dataclass
class Shapes:
    """The partitions of a kind, by state."""

    states: dict[State, int] = field(default_factory=dict)
    """The number of each state."""
    members: list[list[Member]] = field(default_factory=list)
    """The partitions that have it."""

    def add(self, state: State, member: Member) -> None:
        """Add a partition."""
        number = self.states.setdefault(state, len(self.states))
        if number == len(self.members):
            self.members.append([])
        self.members[number].append(member)


Member = tuple[Key, tuple[int, ...]]
"""A partition, and the ids of its brokers by their numbers."""


@dataclass(frozen=True)
class Shaped:
    """All partitions of a cluster, by what they are searched as."""

    kinds: Mapping[Kind, Shapes]
    too_large: tuple[Key, ...]
    """Partitions that have too many brokers to be searched."""
    min_isr_assumed: frozenset[str]
    """Topics whose min.insync.replicas no record shows."""
    unclean_assumed: frozenset[str]
    """Topics of which no record shows whether elections may be unclean."""
    unclean_ignored: bool
    """The release ignores unclean.leader.election.enable: nobody but an administrator elects uncleanly, and a plan has
    no such request."""


def shapes(now: Now, plan: Plan, chosen: Choices) -> Shaped:
    """Sort the partitions of a cluster by what they are searched as."""
    kinds: dict[Kind, Shapes] = {}
    too_large: list[Key] = []
    assumed: set[str] = set()
    without_min: set[str] = set()
    ignored = not release_named(release_of(now.fold, chosen)).mask & behaviour(UNCLEAN_CONFIGURED).releases
    turns = {id: 0 if plan.any_order else at for at, id in enumerate(plan.restarts)}
    for topic, there in now.state.partitions.items():
        name = now.state.names.get(topic, topic)
        at = context(now.fold, topic)
        if at.unclean is None and not ignored:
            assumed.add(name)
        if at.unclean is None or ignored:
            at = at._replace(unclean=False)
        for partition in there.values():
            key = name, partition.number
            min_isr = now.state.min_isr(partition)
            if min_isr is None:
                without_min.add(name)
            target = plan.wanted.get(key, ())
            ids = _numbered(partition, target)
            if len(ids) > MOST_BROKERS:
                too_large.append(key)
                continue
            reassigns = bool(target or partition.adding or partition.removing)
            kind = Kind(at, reassigns, max(len(ids), FEWEST_BROKERS), chosen)
            brokers = BrokersByPlace(ids, kind.brokers, now.state)
            state = _state(kind, partition, brokers, target, min_isr or DEFAULT_MIN_ISR, plan, turns)
            kinds.setdefault(kind, Shapes()).add(state, (key, tuple(ids)))
    return Shaped(kinds, tuple(too_large), frozenset(without_min), frozenset(assumed), ignored)


def _numbered(partition: Partition, target: tuple[int, ...]) -> list[int]:
    """Return the brokers of a partition in the order in which they are numbered."""
    if target:
        return sorted({*brokers_of(partition), *target})
    others = brokers_of(partition) - {*partition.replicas}
    return [*partition.replicas, *sorted(others)]


def _state(
    kind: Kind,
    partition: Partition,
    brokers: BrokersByPlace,
    target: tuple[int, ...],
    min_isr: int,
    plan: Plan,
    turns: Mapping[int, int],
) -> State:
    registered = brokers.registrations
    up = frozenset(number for number, each in enumerate(registered) if each in (UNFENCED, LEAVING))
    there = frozenset(number for number, each in enumerate(registered) if each != UNREGISTERED)  # each may fail
    named = brokers.set(plan.named & {*brokers.ids})
    order = sorted({turns[id] for id in brokers.ids if id in turns})
    values = {
        **brokers.partition(partition, None)._asdict(),
        "registration": registered,
        "offline": brokers.offline(partition),
        "request": None,
        "wanted": brokers.places(target),
        "least": min(min_isr, kind.brokers + 1),
        "may_fail": named,
        "spare": min(plan.spare, len(there - named)),
        "failed": frozenset(),
        "turn": tuple(order.index(turns[id]) if id in turns else NOBODY for id in brokers.ids),
        "todo": frozenset(number for number, id in enumerate(brokers.ids) if id in turns and number in up),
        "stopping": frozenset(number for number, each in enumerate(registered) if each == LEAVING),
        "up": up,
        "disks": _disks(partition, brokers, plan),
    }
    return tuple(values[name] for name in _names(kind.at, kind.reassigns, kind.chosen))


def _disks(partition: Partition, brokers: BrokersByPlace, plan: Plan) -> frozenset[int]:
    """Return the broker on which the partition's replica is in the directory that may fail."""
    if plan.disk is None or plan.disk not in zip(partition.replicas, partition.directories, strict=False):
        return frozenset()
    return brokers.set([plan.disk[0]])


@cache
def _model(at: RecordContext, reassigns: bool, chosen: Choices) -> Model:
    """Return the model of the newest release that may run, without what the plan does not need."""
    unneeded = (UNCLEAN_ASKED,) if reassigns else (UNCLEAN_ASKED, REASSIGNMENT)
    return next(relations(at, chosen._replace(without=unneeded))).model


@cache
def _environment(at: RecordContext, reassigns: bool, chosen: Choices, *, epochs: bool) -> Model:
    return environment(_model(at, reassigns, chosen), epochs=epochs)


@cache
def _names(at: RecordContext, reassigns: bool, chosen: Choices) -> tuple[str, ...]:
    return tuple(each.name for each in _environment(at, reassigns, chosen, epochs=False).fields)


@cache
def search_of(kind: Kind) -> Search:
    """Return the search for a kind."""
    return searching(kind.instance(), kind.properties)


def release_of(fold: Fold, chosen: Choices) -> str:
    """Return the release whose model is asked."""
    at = context(fold, "")._replace(unclean=False)
    return _model(at, False, chosen).name.split()[0].removeprefix("kraft-")
