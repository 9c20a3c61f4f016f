"""A plan as an environment of model `cluster`: a partition's replicas, the controller, and brokers that may take over.

ISRs grow as leaders do it, without requests; a controller takes each of its steps. Numbers that only count how often
something happened are left out: what happens is bounded by the plan, since a broker that may fail does so once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from ....model.action import Action, Clause, update
from ....model.cluster.at_stake import at_stake
from ....model.cluster.cluster import CLUSTER
from ....model.cluster.effects import ISR_OUTSIDE, UNCLEAN
from ....model.cluster.state import BROKERS, Broker, Znode, b, isr_changes, outages
from ....model.expr import both, either, field, ite
from ....model.family import Chosen
from ....model.property import Property
from ....model.protocol import Instance, Model, starts
from ....model.sorts import Bound, Int, SetOf, Value
from ....model.step import State
from ...audit.sources.metadata.state import Partition
from ...explore.search import Search
from ..plan import Plan
from ..reach import searching

may_fail, failed = field("may_fail", SetOf(Broker)), field("failed_once", SetOf(Broker))
spare = field("spare", Int(0, BROKERS))
least = field("least", Int(1, Bound(BROKERS, 1)))
_PLANNED = (
    starts(least, 1, "the effective min.insync.replicas; one more than there are brokers: no ISR is enough"),
    starts(may_fail, frozenset(), "the brokers that the plan names as failing"),
    starts(spare, 0, "the number of further brokers that may fail"),
    starts(failed, frozenset(), "the brokers that have failed, each once"),
)
_NOT_TAKEN = frozenset({"CreateTopic", "LeaderShrinksIsr"})
_LATER_EPOCHS = 60
"""Leader epochs and versions that a search may use: more are an error, not a limit."""
_EPOCH = 1
_PLACES = 3
"""The most replicas of a partition in the model."""
MOST_BROKERS = 7


@dataclass(frozen=True)
class ZooKeeperKind:
    """The purpose of one generated program."""

    release: str
    unclean: bool
    brokers: int
    controllers: int
    """The number of controllers that the plan may cost."""

    @property
    def chosen(self) -> Chosen:
        """The release and the parts of the model."""
        row = CLUSTER.release(self.release)
        return Chosen(row, frozenset(row.behaviours), frozenset(_parts(self.unclean)))

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that are at stake, the gravest first."""
        return at_stake(self.chosen, least)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields of a state."""
        return tuple(each.name for each in self.model.fields)

    @property
    def model(self) -> Model:
        return _environment(self.release, self.unclean)

    def instance(self) -> Instance:
        """Return the environment, for as many brokers."""
        return _instance(self.model, self.brokers, self.controllers)


def _instance(model: Model, brokers: int, controllers: int) -> Instance:
    return model.instance(
        brokers=brokers,
        partitions=1,
        outages=1,
        isr_changes=1,
        failovers=controllers + 1,
        max_leader_epoch=_LATER_EPOCHS,
    )


def _parts(unclean: bool) -> tuple[str, ...]:
    return (ISR_OUTSIDE, UNCLEAN) if unclean else (ISR_OUTSIDE,)


@cache
def _environment(release: str, unclean: bool) -> Model:
    model = CLUSTER.model(release, (), _parts(unclean))
    return replace(
        model,
        name=f"{model.name} within a plan",
        fields=(*model.fields, *_PLANNED),
        actions=tuple(_within(each) for each in model.actions if each.name not in _NOT_TAKEN),
        properties=(),
        projections=(),
        ghosts=(),
    )


def _within(action: Action) -> Action:
    kept = tuple(each for each in action.updates if each.field not in (outages, isr_changes))
    limits = () if len(kept) < len(action.updates) else action.limits
    if action.name != "Die":
        return replace(action, updates=kept, limits=limits, prints=())
    guard = Clause("it may fail", both(~failed.contains(b), either(may_fail.contains(b), spare > 0)))
    return replace(
        action,
        guard=(guard, *action.guard),
        updates=(
            *kept,
            update(failed, failed.insert(b)),
            update(spare, ite(may_fail.contains(b), spare, spare - 1)),
        ),
        limits=limits,
        prints=(),
    )


@cache
def search_of(kind: ZooKeeperKind) -> Search:
    """Return the search for a kind."""
    return searching(kind.instance(), kind.properties)


def numbered(partition: Partition, live: frozenset[int], controller: int, plan: Plan) -> list[int]:
    """Return the brokers of a partition in the order in which they are numbered, then others that may be controller.

    One more of those than may fail is enough: who they are makes no difference.
    """
    others = sorted(live - {*partition.replicas}, key=lambda id: (id != controller, id not in plan.named, id))
    return [*partition.replicas, *others[: len(plan.named) + plan.spare + 1]]


def state_of(
    kind: ZooKeeperKind,
    partition: Partition,
    ids: list[int],
    live: frozenset[int],
    controller: int,
    min_isr: int,
    plan: Plan,
) -> State:
    """Return the state in which a settled controller has left a partition."""
    numbers = {id: number for number, id in enumerate(ids)}
    up = frozenset(numbers[id] for id in ids if id in live)
    held = {
        "leader": numbers.get(partition.leader),
        "isr": frozenset(numbers[id] for id in partition.isr),
        "leader_epoch": 0,
        "version": 0,
        "controller_epoch": _EPOCH,
        "recovery": "RECOVERED",
    }
    znode = tuple(held[name] for name, _ in Znode.fields)
    size = len(partition.replicas)
    nowhere = "NonExistentReplica"
    placed = [("OnlineReplica" if at in up else "OfflineReplica") if at < size else nowhere for at in range(len(ids))]
    led = partition.leader in live and partition.leader in numbers
    of_controller: Mapping[str, tuple[Value, Value]] = {
        "phase": ("none", "idle"),
        "epoch": (0, _EPOCH),
        "live": (frozenset(), up),
        "topics": (frozenset(), frozenset({0})),
        "cached": ((None,), (znode,)),
        "replica_state": (((nowhere,) * len(ids),), (tuple(placed),)),
        "partition_state": (("NonExistentPartition",), ("OnlinePartition" if led else "OfflinePartition",)),
        "to_move": (frozenset(), frozenset()),
    }
    own = numbers[controller]
    places: tuple[Value, ...] = (*range(size), *(None,) * (_PLACES - size))
    values: dict[str, Value] = {
        "registered": up,
        "controller": own,
        "controller_epoch": _EPOCH,
        "assignment": (places,),
        "created": frozenset({0}),
        "znode": (znode,),
        str(isr_changes.data): 0,
        str(outages.data): 0,
        **{
            name: tuple(its if at == own else blank for at in range(len(ids)))
            for name, (blank, its) in of_controller.items()
        },
        "least": min(min_isr, kind.brokers + 1),
        "may_fail": frozenset(numbers[id] for id in plan.named if id in numbers),
        "spare": min(plan.spare, len(ids)),
        "failed_once": frozenset(),
    }
    return tuple(values[name] for name in kind.names)
