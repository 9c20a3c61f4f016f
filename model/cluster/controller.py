"""The controller: election, start-up and failover, and its event handlers (KafkaController.scala).

One thread takes the events one after the other; between the steps of a handler its broker may die, and others write.
A call of a state machine is a step: for all partitions, and of replicas for all on one broker, as Kafka groups them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...specs.machines import machine
from ...specs.releases import span
from ..action import Action, Clause, action, waived
from ..expr import (
    Expr,
    both,
    either,
    exists,
    false,
    forall,
    full,
    ite,
    mapped,
    set_of,
    setting,
    some,
    substitute,
    true,
    var,
)
from ..lines import Line
from ..sorts import Value
from .effects import DELETION, REQUESTS, SHUTDOWN, Effects, HeldPartition, Offline
from .lines import PREFERRED_STRATEGY, prints_line, sends
from .state import (
    DIRECTORIES,
    FAILOVERS,
    NO_BROKERS,
    NO_PARTITIONS,
    REASSIGNMENT,
    Broker,
    Partition,
    PartitionState,
    ReplicaState,
    asked_to_delete,
    assignment,
    b,
    batched,
    c,
    cached,
    controller,
    controller_epoch,
    created,
    epoch,
    exists_topic,
    first,
    has_registrations,
    ineligible,
    known,
    literal,
    live,
    marked,
    now,
    offline_dirs,
    one_of,
    origin,
    p,
    partition_state,
    phase,
    queued,
    r,
    reassigning,
    registered,
    registration,
    replica_state,
    replicas,
    reported_failures,
    shutting,
    some_of_topic,
    storage_errors,
    to_delete,
    to_move,
    topics,
    znode,
)

_old, _known, _topic = var("old", Broker), var("known_one", Broker), var("topic", Partition)
Updates = dict[Expr, Expr | Value]


def writes(state: Expr, held: HeldPartition) -> Updates:
    """All partitions as a call of the partition state machine leaves them."""
    return {
        partition_state[c]: mapped(p, state),
        cached[c]: mapped(p, held.cache),
        znode: mapped(p, held.znode),
    }


def elect(effects: Effects) -> Action:
    raised = {"controller_epoch": controller_epoch + 1}
    effects.lines += [
        prints_line("controller-elected", c, **raised, zk_version=controller_epoch + 1),
        prints_line("controller-epoch-raised", c, **raised),
    ]
    return action(
        "Elect",
        "A live broker becomes controller: it creates /controller and counts up /controller_epoch.",
        c,
        guard={
            "no broker is controller": controller.is_none(),
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


def initialize_context(effects: Effects) -> Action:
    """Return the action of steps 4 to 7 of a failover: the caches, and the replica state machine."""
    seeds = _seeds(effects, "replica")
    state = ite(registered.contains(r), literal(seeds["online"], ReplicaState), literal(seeds["offline"], ReplicaState))
    assigned = both(exists_topic(p), effects.replicas(p).contains(r))
    assigned_somewhere = both(exists_topic(p), effects.replicas(p).intersects(registered))
    effects.lines.append(prints_line("live-brokers", c, brokers=registered))
    if DELETION in effects.chosen.parts:
        effects.lines.append((Line("topics-to-be-deleted", c, {"controller": c, "detail": queued}),))
    effects.updates(c, p, true if _sends_to_all(effects) else false, znode[p], empty=true)
    effects.lines += [prints_line("replica-states-initializing", c), prints_line("online-replicas-triggered", c)]
    online = effects.replica_to(c, p, r, both(assigned, registered.contains(r)), state, "OnlineReplica")
    effects.sends(c, p, effects.replicas(p).intersect(registered), assigned_somewhere, znode[p])
    effects.lines.append(prints_line("offline-replicas-triggered", c))
    # The repair of KAFKA-3143: replicas on all brokers that are not live are moved; on most there are none.
    broken = effects.chosen.has("KAFKA-3143")
    offline = NO_BROKERS if broken else full(Broker).minus(registered)
    changes: Updates = {
        phase[c]: "starting",
        live[c]: registered,
        topics[c]: created,
        cached[c]: znode,
        replica_state[c]: mapped(p, mapped(r, ite(assigned, online, literal(unknown_is("replica"), ReplicaState)))),
        to_move[c]: offline,
    }
    if has_registrations(effects.chosen.parts):
        changes[known[c]] = _read_epochs(registered)
    if REASSIGNMENT in effects.chosen.parts:
        changes[reassigning[c]] = set_of(p, origin[p].is_some())
    if DIRECTORIES in effects.chosen.parts:
        changes[reported_failures] = frozenset()
    if DELETION in effects.chosen.parts:
        some_dead = some_of_topic(effects.chosen.parts, p, ~replicas(assignment[p]).subset_of(registered))
        changes |= {to_delete[c]: queued, ineligible[c]: mapped(p, both(queued.contains(p), some_dead))}
    return action(
        "InitializeContext",
        "A new controller reads live brokers, topics and partition states, and starts its replica state machine: a "
        "replica is online where its broker is live, else ineligible for deletion.",
        c,
        guard={"was just elected": phase[c].eq("elected")},
        updates=changes,
        cites=("onControllerFailover in KafkaController.scala", "startup in ReplicaStateMachine.scala"),
    )


def start_partitions(effects: Effects) -> Action:
    seeds = {name: literal(state, PartitionState) for name, state in _seeds(effects, "partition").items()}
    led = ite(effects.leads_nowhere(c, p), seeds["leader not online"], seeds["leader online"])
    found = ite(cached[c][p].is_none(), seeds["no leader and ISR"], led)
    seeded = ite(topics[c].contains(p), found, literal(unknown_is("partition"), PartitionState))
    effects.lines += [prints_line("partition-states-initializing", c), prints_line("online-partitions-triggered", c)]
    left = effects.brought_online(c, p, seeded)
    effects.lines.append(prints_line("controller-ready", c))
    return action(
        "StartPartitions",
        (
            "A new controller gives each partition a state by its leader, tries to elect leaders for partitions "
            "without one, and is ready."
        ),
        c,
        guard={
            "is starting": phase[c].eq("starting"),
            "replicas of dead brokers are moved": to_move[c].is_empty(),
        },
        updates={phase[c]: _resumes(effects), **writes(*left)},
        cites=("startup in PartitionStateMachine.scala",),
    )


def broker_change(effects: Effects) -> Action:
    """Return the action on changed brokers; since 2.2 one that registered anew first counts as gone, then as new."""
    bounced = _bounced(effects)
    found = registered.minus(bounced)
    added, gone = found.minus(live[c]), live[c].minus(found)
    effects.closed = gone
    concerned = both(effects.is_assigned(c, p, r), added.contains(r))
    effects.lines += [
        prints_line(
            "live-brokers-changed", c,
            new_brokers=added, deleted_brokers=gone.minus(bounced), bounced_brokers=bounced, brokers=registered,
        ),
        prints_line("broker-startup", c, ~added.is_empty(), brokers=added),
    ]  # fmt: skip
    if _sends_to_all(effects):
        effects.updates(c, p, ~added.is_empty(), cached[c][p])
    else:
        effects.updates(c, p, false, cached[c][p], found.minus(added), empty=~added.is_empty())
        effects.updates(c, p, true, cached[c][p], added, empty=true)
    online = effects.replica_to(c, p, r, concerned, replica_state[c][p][r], "OnlineReplica")
    # Only of replicas that are moved, and not of new ones, which were notified when they were made.
    from_states = tuple(each for each in effects.valid["replica"]["OnlineReplica"] if each != "NewReplica")
    started = set_of(r, both(concerned, one_of(replica_state[c][p][r], from_states)))
    effects.sends(c, p, started, ~started.is_empty(), cached[c][p])
    changes: Updates = {
        phase[c]: ite(added.is_empty(), now("failing"), now("electing")),
        live[c]: found,
        to_move[c]: gone,
        replica_state[c]: mapped(p, mapped(r, online)),
    }
    if SHUTDOWN in effects.chosen.parts:
        changes[shutting[c]] = shutting[c].intersect(found)
    if has_registrations(effects.chosen.parts):
        changes[known[c]] = _read_epochs(found)
    if REASSIGNMENT in effects.chosen.parts:
        targeted = both(topics[c].contains(p), origin[p].is_some(), replicas(assignment[p]).intersects(added))
        changes[reassigning[c]] = reassigning[c].union(set_of(p, targeted))
    if DIRECTORIES in effects.chosen.parts:
        # A broker that starts has its directories again, as far as is known; what a dead one answered is nothing now.
        stays, nothing = live[c].intersect(found), NO_PARTITIONS
        for each in (offline_dirs, storage_errors):
            changes[each[c]] = mapped(_known, ite(stays.contains(_known), each[c][_known], nothing))
    if DELETION in effects.chosen.parts:
        some_back = some_of_topic(effects.chosen.parts, p, replicas(assignment[p]).intersects(added))
        changes[ineligible[c]] = mapped(p, both(ineligible[c][p], ~some_back))
        # What a broker has not answered in its earlier life, it never will.
        changes[asked_to_delete[c]] = mapped(p, mapped(r, both(asked_to_delete[c][p][r], ~added.contains(r))))
    return action(
        "BrokerChange",
        "The controller reads the live brokers; replicas of new ones come online.",
        c,
        guard={
            "is idle": phase[c].eq("idle"),
            "live brokers have changed": waived(live[c].ne(found), "otherwise there is nothing to do"),
        },
        updates=changes,
        cites=("BrokerChange, onBrokerStartup in KafkaController.scala",),
    )


def _sends_to_all(effects: Effects) -> bool:
    """Check whether an UpdateMetadata request for no partition in particular is for all of them: up to 2.1."""
    return bool(effects.chosen.release.mask & span("<=2.1"))


def _read_epochs(of: Expr) -> Expr:
    """The epochs of live brokers, as the controller reads them."""
    return mapped(_known, ite(of.contains(_known), registration[_known], 0))


def _bounced(effects: Effects) -> Expr:
    """The live brokers that the controller knows by an earlier registration; up to 2.1 it does not look."""
    if not (has_registrations(effects.chosen.parts) and effects.chosen.has("KIP-380")):
        return NO_BROKERS
    return set_of(_old, both(live[c].contains(_old), registered.contains(_old), known[c][_old].ne(registration[_old])))


def elect_for_new_brokers(effects: Effects) -> Action:
    return action(
        "ElectForNewBrokers",
        "With new brokers, the controller tries to elect leaders for all partitions without one.",
        c,
        guard={"new brokers are known": phase[c].eq("electing")},
        updates={
            phase[c]: ite(to_move[c].is_empty(), _resumes(effects), now("failing")),
            **writes(*effects.brought_online(c, p, partition_state[c][p])),
        },
        cites=("onBrokerStartup in KafkaController.scala",),
    )


def elect_for_dead_leaders(effects: Effects) -> Action:
    leaderless = effects.queued_apart(c, p, effects.leads_nowhere(c, p))
    dead = marked[c].is_empty() if DIRECTORIES in effects.chosen.parts else true
    effects.lines.append(prints_line("broker-failure", c, dead, brokers=to_move[c]))
    offline = effects.partition_to(c, p, leaderless, partition_state[c][p], "OfflinePartition")
    state, held = left = effects.brought_online(c, p, offline)
    elected = both(one_of(offline, ("NewPartition", "OfflinePartition")), state.eq("OnlinePartition"))
    unprinted = _unprinted(effects, leaderless, elected)
    effects.updates(c, p, unprinted if _sends_to_all(effects) else false, held.cache, empty=unprinted)
    return action(
        "ElectForDeadLeaders",
        (
            "Brokers have died: partitions whose leader is not online go offline, and the controller tries to "
            "elect leaders for all partitions without one."
        ),
        c,
        guard={"dead brokers are known": phase[c].eq("failing")},
        updates={phase[c]: "moving", **writes(*left)},
        cites=("onReplicasBecomeOffline in KafkaController.scala",),
    )


def _unprinted(effects: Effects, leaderless: Expr, elected: Expr) -> Expr:
    """Check that no other line shows the live brokers.

    UpdateMetadata shows them. It is sent here before replicas are moved, and moving them shows them too. Up to 3.0 an
    election is taken to show them, even if it elects nobody (KAFKA-13225).
    """
    if effects.chosen.has("KAFKA-13225"):
        return forall(_topic, ~substitute(leaderless, {p: _topic}))
    on_dead = both(effects.to_be_moved(c, _topic, _old), to_move[c].contains(_old))
    moved = exists(_topic, exists(_old, effects.queued_apart(c, _topic, on_dead)))
    return both(~moved, ~exists(_topic, substitute(elected, {p: _topic})))


def move_replicas_offline(effects: Effects) -> Action:
    state, assigned = replica_state[c][p][b], effects.to_be_moved(c, p, b)
    changes: Updates = {
        phase[c]: ite(
            both(phase[c].eq("moving"), to_move[c].eq(some(b).set())),
            _resumes(effects),
            phase[c],
        ),
        to_move[c]: to_move[c].remove(b),
    }
    if DIRECTORIES in effects.chosen.parts:
        changes[marked[c]] = frozenset()
    if DELETION in effects.chosen.parts:
        # A starting controller moves replicas of queued topics like others; later their deletion has failed.
        fails = both(assigned, effects.is_queued(c, p), phase[c].eq("moving"))
        left = effects.taken_offline(c, p, b, state, both(assigned, ~fails))
        _sends_at_last(effects, left)
        moved = ite(fails, effects.replica_to(c, p, b, fails, state, "ReplicaDeletionIneligible"), left.state)
        changes[ineligible[c]] = mapped(p, ineligible[c][p] | some_of_topic(effects.chosen.parts, p, fails))
    else:
        left = effects.taken_offline(c, p, b, state, assigned)
        _sends_at_last(effects, left)
        moved = left.state
    if REQUESTS in effects.chosen.parts:
        changes[batched[c]] = ite(_is_last(), NO_PARTITIONS, set_of(p, _is_batched(left)))
    return action(
        "MoveReplicasOffline",
        "The controller moves all replicas on a dead broker to OfflineReplica: out of their ISRs. It takes dead "
        "brokers one after the other, in an unknown order, and notifies the others when it is done with all.",
        c,
        b,
        guard={
            "is at it": one_of(phase[c], ("starting", "moving")),
            "is to be moved": to_move[c].contains(b),
        },
        updates={
            **changes,
            replica_state[c]: mapped(p, replica_state[c][p].put(b, moved)),
            cached[c]: mapped(p, left.held.cache),
            znode: mapped(p, left.held.znode),
        },
        cites=("handleStateChanges, doHandleStateChanges in ReplicaStateMachine.scala",),
    )


def _is_last() -> Expr:
    """The broker is the last whose replicas are to be moved."""
    return to_move[c].eq(some(b).set())


def _is_batched(left: Offline) -> Expr:
    """The partition is in the batch of the call: a replica of it was moved, on this broker or one before it."""
    return either(batched[c].contains(p), left.given, left.empty)


def _sends_at_last(effects: Effects, left: Offline) -> None:
    """Send the one batch of a call when all brokers have been handled, with the last state of each partition.

    Up to 2.1 the requests for a dead broker are logged too: the last one's have the state before it was moved. Where
    requests are left out, their lines come after each broker.
    """
    entry, others = left.held.cache, effects.replicas(p).remove(b)
    if REQUESTS not in effects.chosen.parts:
        effects.sends(c, p, others, left.given, entry, empty=left.empty)
        return
    sent = both(_is_last(), _is_batched(left))
    knows_nothing = false if effects.chosen.has("KAFKA-3143") else entry.is_none()
    effects.sends(c, p, others, sent, entry, empty=both(sent, knows_nothing))
    if not effects.chosen.has("KIP-380"):
        before = both(_is_last(), batched[c].contains(p))
        to_itself = effects.replicas(p).intersect(some(b).set())
        effects.lines.append(sends(c, p, to_itself, before, false, cached[c][p], effects.listed(p)))


def new_partitions(effects: Effects) -> Action:
    new = both(exists_topic(p), ~topics[c].contains(p))
    opened = effects.partition_to(c, p, new, partition_state[c][p], "NewPartition")
    mine = both(new, replicas(assignment[p]).contains(r))
    made = effects.replica_to(c, p, r, mine, replica_state[c][p][r], "NewReplica")
    left = effects.online(c, p, opened, new)
    online = effects.replica_to(c, p, r, mine, made, "OnlineReplica")
    idle: Expr | Clause = phase[c].eq("idle")
    if DELETION not in effects.chosen.parts:
        idle = waived(phase[c].eq("idle"), "the thread does one thing at a time; a new topic disturbs nothing")
    return action(
        "NewPartitions",
        "The controller takes note of new topics: their partitions and replicas are new, then online.",
        c,
        guard={
            "is idle": idle,
            "there are new topics": waived(topics[c].ne(created), "otherwise there is nothing to do"),
        },
        updates={
            topics[c]: created,
            replica_state[c]: mapped(p, mapped(r, online)),
            **writes(*left),
        },
        cites=("onNewPartitionCreation in KafkaController.scala",),
    )


def elect_preferred(effects: Effects) -> Action:
    preferred = assignment[p][0]
    alive = preferred.set().subset_of(effects.online_brokers(c, p).intersect(znode[p].value["isr"]))
    leader = ite(alive, preferred, first(assignment[p], NO_BROKERS))
    known = effects.queued_apart(c, p, topics[c].contains(p))
    if REASSIGNMENT in effects.chosen.parts and effects.chosen.release.mask & span("<=3.3"):
        known = both(known, origin[p].is_none())
    wanted = both(known, cached[c][p].is_some(), cached[c][p].value["leader"].ne(preferred))
    asked = {"controller": c, "strategy": "PREFERRED", "kind": "AutoTriggered"}
    one_each = Line("election-requested", c, {**asked, "detail": p}, wanted, (p,))
    all_at_once = Line("election-requested", c, {**asked, "detail": set_of(p, wanted)}, exists(p, wanted))
    effects.lines.append((one_each if effects.chosen.before("2.0.1") else all_at_once,))
    isr, now_is = znode[p].value["isr"], partition_state[c][p]
    state, held = effects.elected(c, p, now_is, wanted, leader, isr, PREFERRED_STRATEGY, full(Broker))
    return action(
        "ElectPreferred",
        (
            "The first replica of each assignment becomes leader if it is online and in the ISR: the leader is "
            "balanced. A leader that already is the preferred one stays, as in 2.2 and later."
        ),
        c,
        guard={
            "is idle": waived(phase[c].eq("idle"), "an election disturbs no handler"),
            "a leader is not the preferred one": waived(exists(p, wanted), "otherwise there is nothing to do"),
        },
        updates=writes(state, held),
        cites=("onPreferredReplicaElection in KafkaController.scala",),
    )


def _resumes(effects: Effects) -> Expr:
    """The phase after a handler that ends with resuming reassignments and deletions."""
    idle = now("idle")
    if DELETION in effects.chosen.parts:
        idle = ite(to_delete[c].is_empty(), idle, now("resuming"))
    if REASSIGNMENT in effects.chosen.parts:
        idle = ite(reassigning[c].is_empty(), idle, now("reassigning"))
    return idle


def _seeds(effects: Effects, table: str) -> Mapping[str, str]:
    return {each.condition: each.state for each in machine(table).seeds_in(effects.chosen.release)}


def unknown_is(table: str) -> str:
    """The state of an entity that the controller has not met."""
    return machine(table).unknown_is
