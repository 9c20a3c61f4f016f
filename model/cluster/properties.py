"""What is promised of a cluster: what a controller leaves behind, and the properties of every partition's view."""

from __future__ import annotations

from ..expr import Expr, both, either, exists, forall, some
from ..family import Chosen
from ..property import Property
from ..views import (
    CONTROLLER_EPOCH_NEVER_FALLS,
    EPOCH_STEP,
    ISR_NOT_EMPTY,
    ISR_WITHIN_REPLICAS,
    LEADER_EPOCH_NEVER_FALLS,
    LEADER_FROM_ISR,
    LEADER_IN_ISR,
    NEW_LEADER_NEW_EPOCH,
    ONE_LEADER_PER_EPOCH,
    ONE_STATE_PER_PARTITION_EPOCH,
    PARTITION,
    PARTITION_EPOCH_NEVER_FALLS,
    UNCLEAN_LEADER_ALONE_IN_ISR,
    Projection,
)
from ..views import Broker as AnyBroker
from .state import (
    Broker,
    assignment,
    b,
    c,
    controller,
    epoch,
    live,
    p,
    partition_state,
    phase,
    registered,
    replicas,
    znode,
)

PARTITION_IN_ZOOKEEPER = Projection(
    PARTITION,
    {AnyBroker: Broker},
    {
        "leader": znode[p].value["leader"],
        "isr": znode[p].value["isr"],
        "replicas": replicas(assignment[p]),
        "leader_epoch": znode[p].value["leader_epoch"],
        "partition_epoch": znode[p].value["version"],
        "controller_epoch": znode[p].value["controller_epoch"],
    },
    key=p,
    given=znode[p].is_some(),
)


def has_settled() -> Expr:
    """The controller is ready, has nothing to do, and knows who is live."""
    return exists(c, both(controller.eq(some(c)), phase[c].eq("idle"), live[c].eq(registered)))


_held = znode[p].value

LEADER_ALIVE_OR_NONE = Property(
    "LeaderAliveOrNone",
    "Once the controller has finished its start-up and knows who is live, the leader in ZooKeeper is a live broker, or "
    "there is none.",
    has_settled().implies(forall(p, _held["leader"].set().subset_of(registered))),
    cites=("KAFKA-3143", "kafka.controller.ReplicaStateMachine"),
)
DEAD_OUT_OF_ISR = Property(
    "DeadOutOfIsr",
    "Once the controller has finished its start-up and knows who is live, a dead broker is in no ISR, unless it is the "
    "last member.",
    has_settled().implies(forall(p, either(_held["isr"].subset_of(registered), _held["isr"].size() <= 1))),
    cites=("KAFKA-3143", "kafka.controller.ReplicaStateMachine"),
)
OFFLINE_WITHOUT_LEADER = Property(
    "OfflineWithoutLeader",
    "Once the controller has settled, a partition is OfflinePartition exactly if no live broker leads it.",
    forall(
        c,
        both(controller.eq(some(c)), phase[c].eq("idle"), live[c].eq(registered)).implies(
            forall(
                p,
                znode[p]
                .is_some()
                .implies(
                    partition_state[c][p]
                    .eq("OfflinePartition")
                    .eq(_held["leader"].set().intersect(registered).is_empty())
                ),
            )
        ),
    ),
    cites=("kafka.controller.PartitionStateMachine",),
)
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
    "Whoever is controller is a live broker.",
    controller.set().subset_of(registered),
    cites=("kafka.controller.KafkaController",),
)
A_LEADER_IS_LOST = Property(
    "LeaderIsLost",
    "A partition is left without a leader: the model is alive.",
    exists(p, both(znode[p].is_some(), _held["leader"].is_none())),
    "sometimes",
)


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """What is promised, and what must be met."""
    clean = UNCLEAN_LEADER_ALONE_IN_ISR if "unclean elections" in chosen.parts else LEADER_FROM_ISR
    of_view = (
        LEADER_IN_ISR,
        ISR_NOT_EMPTY,
        ISR_WITHIN_REPLICAS,
        LEADER_EPOCH_NEVER_FALLS,
        PARTITION_EPOCH_NEVER_FALLS,
        CONTROLLER_EPOCH_NEVER_FALLS,
        ONE_LEADER_PER_EPOCH,
        ONE_STATE_PER_PARTITION_EPOCH,
        EPOCH_STEP,
        NEW_LEADER_NEW_EPOCH,
        clean,
    )
    return (
        LEADER_ALIVE_OR_NONE,
        DEAD_OUT_OF_ISR,
        OFFLINE_WITHOUT_LEADER,
        CONTROLLER_IS_REGISTERED,
        ONE_CONTROLLER_PER_EPOCH,
        *(PARTITION_IN_ZOOKEEPER.of(each) for each in of_view),
        A_LEADER_IS_LOST,
    )
