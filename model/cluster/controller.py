"""The controller: election, start-up and failover (controller.md 3.1, 3.2), and its event handlers (4).

One thread takes the events one after the other; between the steps of a handler its broker may die, and others write.
"""

from __future__ import annotations

from ...specs.machines import machine
from ..action import Action, action, waived
from ..expr import both, const, full, ite, mapped, setting, some
from ..family import Chosen
from ..sorts import SetOf
from .effects import Effects, leads_nowhere
from .state import (
    FAILOVERS,
    Broker,
    PartitionState,
    ReplicaState,
    assignment,
    b,
    c,
    cached,
    controller,
    controller_epoch,
    created,
    epoch,
    exists_topic,
    literal,
    live,
    now,
    one_of,
    p,
    partition_state,
    phase,
    r,
    registered,
    replica_state,
    replicas,
    to_move,
    topics,
    znode,
)


def actions(chosen: Chosen) -> tuple[Action, ...]:
    """What a controller does, in the order in which it does it."""
    return (
        _elect(),
        _initialize_context(chosen),
        _start_partitions(chosen),
        _broker_change(chosen),
        _elect_for_new_brokers(chosen),
        _elect_for_dead_leaders(chosen),
        _move_replicas_offline(chosen),
        _new_partitions(chosen),
    )


def _elect() -> Action:
    return action(
        "Elect",
        "A live broker becomes controller: it creates /controller and counts up /controller_epoch.",
        c,
        guard={
            "nobody is controller": controller.is_none(),
            "is registered": registered.contains(c),
        },
        limits={"failovers are left": controller_epoch <= setting(FAILOVERS)},
        updates={
            controller: some(c),
            controller_epoch: controller_epoch + 1,
            phase[c]: "elected",
            epoch[c]: controller_epoch + 1,
        },
        cites=("elect in KafkaController.scala",),
    )


def _initialize_context(chosen: Chosen) -> Action:
    """Steps 4 to 7 of a failover: the caches, and the replica state machine."""
    seeds = {each.condition: each.state for each in machine("replica").seeds_in(chosen.release)}
    state = ite(registered.contains(r), literal(seeds["online"], ReplicaState), literal(seeds["offline"], ReplicaState))
    nobody = literal(machine("replica").unknown_is, ReplicaState)
    assigned = both(exists_topic(p), replicas(assignment[p]).contains(r))
    # The repair of KAFKA-3143: replicas on all brokers that are not live are moved; on most there are none.
    offline = const(frozenset(), SetOf(Broker)) if chosen.has("KAFKA-3143") else full(Broker).minus(registered)
    return action(
        "InitializeContext",
        "A new controller reads live brokers, topics and partition states, and starts its replica state machine: a "
        "replica is online where its broker is live, else ineligible for deletion.",
        c,
        guard={"was just elected": phase[c].eq("elected")},
        updates={
            phase[c]: "starting",
            live[c]: registered,
            topics[c]: created,
            cached[c]: znode,
            replica_state[c]: mapped(p, mapped(r, ite(assigned, state, nobody))),
            to_move[c]: offline,
        },
        cites=("onControllerFailover in KafkaController.scala", "startup in ReplicaStateMachine.scala"),
    )


def _start_partitions(chosen: Chosen) -> Action:
    effects = Effects(chosen)
    seeds = {each.condition: each.state for each in machine("partition").seeds_in(chosen.release)}
    found = ite(
        cached[c][p].is_none(),
        literal(seeds["no leader and ISR"], PartitionState),
        ite(
            leads_nowhere(c, p),
            literal(seeds["leader not online"], PartitionState),
            literal(seeds["leader online"], PartitionState),
        ),
    )
    unknown = literal(machine("partition").unknown_is, PartitionState)
    seeded = ite(topics[c].contains(p), found, unknown)
    moved = effects.online(c, p, seeded, effects.waits_for_leader(seeded))
    return action(
        "StartPartitions",
        "A new controller gives each partition a state by its leader, tries to elect leaders for those without, and is "
        "ready.",
        c,
        guard={
            "is starting": phase[c].eq("starting"),
            "replicas of dead brokers are moved": to_move[c].is_empty(),
        },
        updates={
            phase[c]: "idle",
            partition_state[c]: mapped(p, moved.state),
            cached[c]: mapped(p, moved.cache),
            znode: mapped(p, moved.znode),
        },
        cites=("startup in PartitionStateMachine.scala",),
    )


def _broker_change(chosen: Chosen) -> Action:
    effects = Effects(chosen)
    added, gone = registered.minus(live[c]), live[c].minus(registered)
    online = effects.replica_to(replica_state[c][p][r], "OnlineReplica")
    concerned = both(topics[c].contains(p), replicas(assignment[p]).contains(r), added.contains(r))
    return action(
        "BrokerChange",
        "The controller reads the live brokers; replicas of new ones come online.",
        c,
        guard={
            "is idle": phase[c].eq("idle"),
            "live brokers have changed": waived(live[c].ne(registered), "else nothing is to be done"),
        },
        updates={
            phase[c]: ite(added.is_empty(), now("failing"), now("electing")),
            live[c]: registered,
            to_move[c]: gone,
            replica_state[c]: mapped(p, mapped(r, ite(concerned, online, replica_state[c][p][r]))),
        },
        cites=("BrokerChange, onBrokerStartup in KafkaController.scala",),
    )


def _elect_for_new_brokers(chosen: Chosen) -> Action:
    effects = Effects(chosen)
    state = partition_state[c][p]
    moved = effects.online(c, p, state, effects.waits_for_leader(state))
    return action(
        "ElectForNewBrokers",
        "With new brokers, the controller tries to elect leaders for all partitions without.",
        c,
        guard={"new brokers are known": phase[c].eq("electing")},
        updates={
            phase[c]: ite(
                to_move[c].is_empty(),
                now("idle"),
                now("failing"),
            ),
            partition_state[c]: mapped(p, moved.state),
            cached[c]: mapped(p, moved.cache),
            znode: mapped(p, moved.znode),
        },
        cites=("onBrokerStartup in KafkaController.scala",),
    )


def _elect_for_dead_leaders(chosen: Chosen) -> Action:
    effects = Effects(chosen)
    state = partition_state[c][p]
    offline = ite(leads_nowhere(c, p), effects.partition_to(state, "OfflinePartition"), state)
    moved = effects.online(c, p, offline, effects.waits_for_leader(offline))
    return action(
        "ElectForDeadLeaders",
        "Brokers have died: partitions whose leader is not online go offline, and the controller tries to elect "
        "leaders for all partitions without.",
        c,
        guard={"dead brokers are known": phase[c].eq("failing")},
        updates={
            phase[c]: "moving",
            partition_state[c]: mapped(p, moved.state),
            cached[c]: mapped(p, moved.cache),
            znode: mapped(p, moved.znode),
        },
        cites=("onReplicasBecomeOffline in KafkaController.scala",),
    )


def _move_replicas_offline(chosen: Chosen) -> Action:
    effects = Effects(chosen)
    moved = effects.offline(c, p, b)
    return action(
        "MoveReplicasOffline",
        "The controller moves all replicas on a dead broker to OfflineReplica: out of their ISRs. It takes dead "
        "brokers one after the other, in no order that anybody knows.",
        c,
        b,
        guard={
            "is at it": one_of(phase[c], ("starting", "moving")),
            "is to be moved": to_move[c].contains(b),
        },
        updates={
            phase[c]: ite(
                both(phase[c].eq("moving"), to_move[c].eq(some(b).set())),
                now("idle"),
                phase[c],
            ),
            to_move[c]: to_move[c].remove(b),
            replica_state[c]: mapped(p, replica_state[c][p].put(b, moved.state)),
            cached[c]: mapped(p, moved.cache),
            znode: mapped(p, moved.znode),
        },
        cites=("doHandleStateChanges in ReplicaStateMachine.scala",),
    )


def _new_partitions(chosen: Chosen) -> Action:
    effects = Effects(chosen)
    new = both(exists_topic(p), ~topics[c].contains(p))
    opened = ite(new, effects.partition_to(partition_state[c][p], "NewPartition"), partition_state[c][p])
    moved = effects.online(c, p, opened, new)
    state = replica_state[c][p][r]
    made = effects.replica_to(effects.replica_to(state, "NewReplica"), "OnlineReplica")
    return action(
        "NewPartitions",
        "The controller takes note of new topics: their partitions and replicas are new, then online.",
        c,
        guard={
            "is idle": waived(phase[c].eq("idle"), "the thread does one thing at a time; a new topic disturbs nothing"),
            "there are new topics": waived(topics[c].ne(created), "else nothing is to be done"),
        },
        updates={
            topics[c]: created,
            partition_state[c]: mapped(p, moved.state),
            cached[c]: mapped(p, moved.cache),
            znode: mapped(p, moved.znode),
            replica_state[c]: mapped(p, mapped(r, ite(both(new, replicas(assignment[p]).contains(r)), made, state))),
        },
        cites=("onNewPartitionCreation in KafkaController.scala",),
    )
