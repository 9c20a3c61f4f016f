"""Properties of controllers: what one leaves in ZooKeeper, one per epoch; and those of every partition's view."""

from __future__ import annotations

from ..expr import Expr, after, both, either, exists, forall, some
from ..family import Chosen
from ..property import Property
from ..views import (
    ISR_WITHIN_REPLICAS,
    LEADER_FROM_ISR,
    PARTITION,
    PARTITION_PROPERTIES,
    UNCLEAN_LEADER_ALONE_IN_ISR,
    Projection,
)
from ..views import Broker as AnyBroker
from .effects import DELETION, UNCLEAN, Effects
from .state import (
    CANCELLED,
    REASSIGNMENT,
    UNCLEAN_ASKED,
    UNCLEAN_LATER,
    Broker,
    assignment,
    b,
    c,
    controller,
    controller_epoch,
    created,
    epoch,
    has_registrations,
    hosts,
    known,
    live,
    origin,
    p,
    partition_state,
    phase,
    queued,
    registered,
    registration,
    replica_state,
    replicas,
    znode,
)


def partition_in_zookeeper(chosen: Chosen) -> Projection:
    """Return the state of each partition in ZooKeeper, as a view."""
    return Projection(
        PARTITION,
        {AnyBroker: Broker},
        {
            "leader": znode[p].value["leader"],
            "isr": znode[p].value["isr"],
            "replicas": hosts(chosen.parts, p),
            "leader_epoch": znode[p].value["leader_epoch"],
            "partition_epoch": znode[p].value["version"],
            "controller_epoch": znode[p].value["controller_epoch"],
        },
        key=p,
        given=znode[p].is_some(),
    )


def has_settled(chosen: Chosen) -> Expr:
    """The controller is ready, has nothing to do, and knows the live brokers."""
    return exists(c, is_settled(chosen, c))


def is_settled(chosen: Chosen, c: Expr) -> Expr:
    """The same for one broker as the controller; since 2.2 it knows the brokers that registered anew."""
    knows = live[c].eq(registered)
    if has_registrations(chosen.parts) and chosen.has("KIP-380"):
        knows = both(knows, forall(b, registered.contains(b).implies(known[c][b].eq(registration[b]))))
    return both(controller.eq(some(c)), phase[c].eq("idle"), knows)


_held = znode[p].value
_alone = _held["isr"].eq(some(b).set())


def _stays(chosen: Chosen, condition: Expr) -> Expr:
    """The condition for all partitions whose topic is not being deleted."""
    return forall(p, condition if DELETION not in chosen.parts else queued.contains(p) | condition)


_SETTLED = "Once the controller has finished its start-up and knows the live brokers, "


def _of_settled(chosen: Chosen) -> tuple[Property, ...]:
    """Return the promises about what a controller with nothing to do leaves behind."""
    return (
        Property(
            "LeaderAliveOrNone",
            _SETTLED + "the leader in ZooKeeper is a live broker, or there is none.",
            has_settled(chosen).implies(_stays(chosen, _held["leader"].set().subset_of(registered))),
            cites=("KAFKA-3143", "kafka.controller.ReplicaStateMachine"),
        ),
        Property(
            "DeadOutOfIsr",
            _SETTLED + "a dead broker is in no ISR, unless it is the last member.",
            has_settled(chosen).implies(
                _stays(chosen, forall(b, both(_held["isr"].contains(b), ~registered.contains(b)).implies(_alone)))
            ),
            cites=("KAFKA-3143", "kafka.controller.ReplicaStateMachine"),
        ),
        Property(
            "OfflineWithoutLeader",
            _SETTLED + "a partition is OfflinePartition exactly if no live broker leads it.",
            forall(c, is_settled(chosen, c).implies(_stays(chosen, _offline_without_leader(chosen, c)))),
            cites=("kafka.controller.PartitionStateMachine",),
        ),
        Property(
            "OnlineIfAlive",
            _SETTLED + "the replicas of live brokers are OnlineReplica; one that is being added may be NewReplica.",
            forall(c, is_settled(chosen, c).implies(_stays(chosen, _online_if_alive(chosen, c)))),
            cites=("kafka.controller.ReplicaStateMachine",),
        ),
    )


def _online_if_alive(chosen: Chosen, c: Expr) -> Expr:
    """Return the property of live brokers; on dead ones the replicas of a new topic come online too."""
    effects = Effects(chosen)
    alive = both(effects.is_assigned(c, p, b), effects.online_brokers(c, p).contains(b))
    state = replica_state[c][p][b]
    online = state.eq("OnlineReplica")
    if REASSIGNMENT in chosen.parts:
        online = either(online, both(origin[p].is_some(), state.eq("NewReplica")))
    return forall(b, alive.implies(online))


def _offline_without_leader(chosen: Chosen, c: Expr) -> Expr:
    """A leader that is shutting down lives, and may lead an OfflinePartition."""
    offline, leader = partition_state[c][p].eq("OfflinePartition"), _held["leader"].set()
    online = Effects(chosen).online_brokers(c, p).intersect(registered)
    dead = leader.intersect(registered).is_empty()
    return znode[p].is_some().implies(both(dead.implies(offline), offline.implies(~leader.intersects(online))))


ONE_CONTROLLER_PER_EPOCH = Property(
    "OneControllerPerEpoch",
    "No two brokers act as controller in the same controller epoch.",
    forall(
        c,
        forall(
            b,
            both(phase[c].ne("none"), phase[b].ne("none"), c.ne(b)).implies(epoch[c].ne(epoch[b])),
        ),
    ),
    cites=("kafka.controller.KafkaController",),
)
CONTROLLER_IS_REGISTERED = Property(
    "ControllerIsRegistered",
    "The controller is a live broker.",
    controller.set().subset_of(registered),
    cites=("kafka.controller.KafkaController",),
)
_new = znode[p].is_none() | after(_held["leader_epoch"]).ne(_held["leader_epoch"])
ONLY_THE_CONTROLLER_ELECTS = Property(
    "OnlyTheControllerElects",
    (
        "Only the controller of the current epoch writes a partition's leader epoch: writes of a replaced "
        "controller have no effect."
    ),
    forall(
        p,
        both(after(znode[p].is_some()), _new).implies(after(_held["controller_epoch"]).eq(controller_epoch)),
    ),
    "step",
    cites=("KAFKA-6082",),
)
_deleted = replica_state[c][p][b].eq("ReplicaDeletionSuccessful")
DELETED_WHEN_ALL_SAY_SO = Property(
    "DeletedWhenAllSaySo",
    "A topic ends only after it was queued for deletion and all its replicas were deleted.",
    forall(
        p,
        both(created.contains(p), ~after(created).contains(p)).implies(
            both(queued.contains(p), exists(c, forall(b, replicas(assignment[p]).contains(b).implies(_deleted))))
        ),
    ),
    "step",
    cites=("kafka.controller.TopicDeletionManager",),
)
A_LEADER_IS_LOST = Property(
    "LeaderIsLost",
    "A partition is left without a leader: the model is alive.",
    exists(p, both(znode[p].is_some(), _held["leader"].is_none())),
    "sometimes",
)


_then = after(_held["leader"])
_unclean = both(_then.is_some(), ~_then.set().subset_of(_held["isr"]))
_recovers, _will = _held["recovery"].eq("RECOVERING"), after(_held["recovery"]).eq("RECOVERING")
UNCLEAN_LEADER_RECOVERS = Property(
    "UncleanLeaderRecovers",
    "A leader from outside the ISR is marked as recovering, and no other leader is.",
    forall(
        p,
        both(znode[p].is_some(), after(znode[p].is_some())).implies(
            both(_unclean.implies(_will), both(_will, ~_recovers).implies(_unclean))
        ),
    ),
    "step",
    cites=("KIP-704",),
)
AN_OUTSIDER_LEADS = Property(
    "OutsiderLeads",
    ("A leader is elected from outside the ISR, although unclean elections are off by default: the part is alive."),
    exists(p, both(znode[p].is_some(), after(znode[p].is_some()), _unclean)),
    "sometimes",
    cites=("KIP-460", "KAFKA-6835"),
)


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the promised properties, and those that some run must meet."""
    is_unclean = bool({UNCLEAN, UNCLEAN_LATER, UNCLEAN_ASKED} & chosen.parts)
    unmet = {LEADER_FROM_ISR if is_unclean else UNCLEAN_LEADER_ALONE_IN_ISR}
    if {REASSIGNMENT, CANCELLED} <= chosen.parts and chosen.has("KIP-455"):
        unmet.add(ISR_WITHIN_REPLICAS)  # a replica that was being added leaves the ISR after the assignment
    of_view = tuple(each for each in PARTITION_PROPERTIES if each not in unmet)
    return (
        *_of_settled(chosen),
        CONTROLLER_IS_REGISTERED,
        ONE_CONTROLLER_PER_EPOCH,
        ONLY_THE_CONTROLLER_ELECTS,
        *(partition_in_zookeeper(chosen).of(each) for each in of_view),
        *((UNCLEAN_LEADER_RECOVERS,) if is_unclean and chosen.has("KIP-704") else ()),
        *((DELETED_WHEN_ALL_SAY_SO,) if DELETION in chosen.parts else ()),
        *((AN_OUTSIDER_LEADS,) if {UNCLEAN_LATER, UNCLEAN_ASKED} & chosen.parts else ()),
        A_LEADER_IS_LOST,
    )
