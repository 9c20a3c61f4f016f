"""Reassignment of partitions (KafkaController.scala): replicas are added, join the ISR, and others are removed.

While it goes on a partition's replicas are those that are asked for, then those that it had. Up to 2.3 what is asked
for is in /admin/reassign_partitions, since 2.4 in the topic's znode (KIP-455); here it is `assignment` and `origin`.

Not in the model: a reassignment that replaces one that goes on by other replicas than those before it; one of a topic
that is being deleted; and the answers to StopReplica, which a controller does not wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from ..action import Action, Clause, Update, action, update, waived
from ..expr import (
    Expr,
    both,
    either,
    exists,
    false,
    field,
    fill,
    forall,
    ite,
    mapped,
    none,
    set_of,
    setting,
    some,
    true,
)
from ..family import Chosen
from ..property import Property
from ..protocol import Ghosts, starts
from ..sorts import Bool, MapOf, SetOf
from .broker_lines import replica_stopped
from .broker_properties import informed_and_quiet
from .controller import unknown_is
from .effects import DELETION, FACTORS, REQUESTS, Effects
from .lines import REASSIGNMENT_STRATEGY, Listed, prints_line
from .lines import listed as printed
from .outside import one, other, third
from .requests import head, may_read, read, takes
from .state import (
    CANCELLED,
    NO_ASSIGNMENT,
    NO_BROKERS,
    NO_ZNODE,
    REASSIGNMENTS,
    UNASSIGNED,
    Broker,
    Partition,
    assignment,
    b,
    c,
    cached,
    e,
    finishing,
    first,
    had,
    hosted,
    hosts,
    listed,
    now,
    one_of,
    origin,
    p,
    partition_state,
    phase,
    queued,
    r,
    reassigning,
    reassignments,
    registered,
    replica_state,
    replicas,
    to_delete,
    to_move,
    topics,
    znode,
)

_target = replicas(assignment[p])
_adding = _target.minus(replicas(had(p)))
_removing = replicas(had(p)).minus(_target)
_ROOM = {"reassignments are left": reassignments < setting(REASSIGNMENTS)}
_ONE_THREAD = "the thread does one thing at a time"


def _caught_up() -> Expr:
    """All replicas that are asked for are in the ISR."""
    return _target.subset_of(znode[p].value["isr"])


def _next(effects: Effects, left: Expr) -> Expr:
    """Return the controller's next phase when it is done with a partition: other partitions, then deletions."""
    idle = now("idle")
    if DELETION in effects.chosen.parts:
        idle = ite(to_delete[c].is_empty(), idle, now("resuming"))
    return ite(left.is_empty(), idle, now("reassigning"))


def _raised(effects: Effects) -> Expr:
    """Return the state that is written to raise the leader epoch and nothing else."""
    held = znode[p].value
    return some(effects.led(c, held, held["leader"], held["isr"]))


def _kept(effects: Effects, raised: Expr) -> Expr:
    """Return the cached state after a raised leader epoch: up to 2.3 the controller does not update it (KAFKA-9212)."""
    return cached[c][p] if effects.chosen.has("KAFKA-9212") else raised


def reassign(effects: Effects) -> Action:
    return _reassigned(effects, "Reassign", one, other)


def reassign_to_one(effects: Effects) -> Action:
    return _reassigned(effects, "ReassignSingle", one)


def reassign_to_three(effects: Effects) -> Action:
    return _reassigned(effects, "ReassignTriple", one, other, third)


def _reassigned(effects: Effects, name: str, *targets: Expr) -> Action:
    asked = UNASSIGNED
    for place, broker in enumerate(targets):
        asked = asked.put(place, some(broker))
    distinct = (mine.ne(its) for mine, its in combinations(targets, 2))
    listed = printed(asked, some(assignment[p])) if effects.chosen.has("KIP-455") else printed(asked, NO_ASSIGNMENT)
    _handled(effects, listed)
    stays = ~queued.contains(p) if DELETION in effects.chosen.parts else true
    return action(
        name,
        "An administrator requests other replicas for a partition, and the controller takes note.",
        c,
        p,
        *targets,
        guard={
            "is idle": waived(phase[c].eq("idle"), _ONE_THREAD),
            "is known": both(topics[c].contains(p), cached[c][p].is_some(), stays),
            "none goes on": origin[p].is_none(),
            "other replicas": both(*distinct, assignment[p].ne(asked)),
        },
        limits=_ROOM,
        updates={
            origin[p]: some(assignment[p]),
            assignment[p]: asked,
            reassigning[c]: reassigning[c].insert(p),
            phase[c]: now("reassigning"),
            reassignments: reassignments + 1,
        },
        cites=("onPartitionReassignment in KafkaController.scala",),
    )


def _handled(effects: Effects, listed: Listed) -> None:
    """Log the replicas of a reassignment: up to 2.3 those asked for; since 2.4 all, and those added and removed."""
    more: dict[str, object] = {}
    if effects.chosen.has("KIP-455"):
        more = {"adding": listed.adding, "removing": listed.removing}
    given = {"topic": p, "partition": p, "replicas": listed.replicas, **more}
    effects.lines.append(prints_line("reassignment-handled", c, true, **given))


def add_replicas(effects: Effects) -> Action:
    """Return the action of phase A of 2.4; the leader epoch is raised, so that the leader obeys the request."""
    raised, state = _raised(effects), replica_state[c][p][r]
    kept = _kept(effects, raised)
    ordered = hosts(effects.chosen.parts, p)
    if effects.chosen.has("KAFKA-10314"):
        effects.sends_request(c, p, ordered, true, raised, printed=raised)
    else:
        effects.sends_request(c, p, _adding, true, raised, true, printed=raised)
        effects.sends_request(c, p, ordered.minus(_adding), true, raised, printed=raised)
    effects.updates(c, p, true, kept)
    is_new = _adding.contains(r)
    if not effects.chosen.has("KIP-455"):  # who is in the assignment already is not asked for again
        is_new = both(is_new, state.eq(unknown_is("replica")))
    new = effects.replica_to(c, p, r, is_new, state, "NewReplica")
    moved = set_of(r, both(_adding.contains(r), one_of(state, effects.valid["replica"]["NewReplica"])))
    effects.sends(c, p, moved, ~moved.is_empty(), kept, true)
    left = reassigning[c].remove(p)
    return action(
        "AddReplicas",
        (
            "A reassignment begins, or is resumed: all replicas are sent a higher leader epoch, and added "
            "replicas are new."
        ),
        c,
        p,
        guard={
            "is at it": waived(phase[c].eq("reassigning"), _ONE_THREAD),
            "it is this partition": waived(reassigning[c].contains(p), "a higher leader epoch is legal at any time"),
            "not all have caught up": waived(~_caught_up(), "the end is noticed later, by the ISR"),
        },
        updates={
            znode[p]: raised,
            cached[c]: cached[c].put(p, kept),
            replica_state[c]: replica_state[c].put(p, mapped(r, new)),
            reassigning[c]: left,
            phase[c]: _next(effects, left),
        },
        cites=("onPartitionReassignment in KafkaController.scala",),
    )


def _leader_moves(effects: Effects, updates: dict[Expr, object]) -> dict[Expr, object]:
    """Elect a leader among the replicas that stay, or raise the leader epoch, and notify all that stay."""
    held, raised = znode[p].value, _raised(effects)
    stays = both(
        held["leader"].is_some(), held["leader"].set().subset_of(_target.intersect(effects.online_brokers(c, p)))
    )
    _checked(effects)
    leader = first(assignment[p], effects.online_brokers(c, p).intersect(held["isr"]))
    state, elected = effects.elected(
        c, p, partition_state[c][p], ~stays, leader, held["isr"], REASSIGNMENT_STRATEGY, _target
    )
    kept = _kept(effects, raised)
    effects.sends_request(c, p, _target, stays, raised, printed=raised)
    effects.updates(c, p, stays, kept)
    return {
        **updates,
        partition_state[c]: partition_state[c].put(p, state),
        znode[p]: ite(stays, raised, elected.znode),
        cached[c]: cached[c].put(p, ite(stays, kept, elected.cache)),
    }


def _checked(effects: Effects) -> None:
    """Log whether the leader is still to have a replica, and whether it lives."""
    leader = cached[c][p].value["leader"]
    stays = both(leader.is_some(), leader.set().subset_of(_target))
    alive = leader.set().subset_of(effects.online_brokers(c, p))
    kinds = {"absent": ~stays, "alive": both(stays, alive), "dead": both(stays, ~alive)}
    for kind, given in kinds.items():
        of = {"topic": p, "partition": p, "leader": leader, "replicas": assignment[p], "kind": kind}
        effects.lines.append(prints_line("reassignment-leader-checked", c, given, **of))


def finish(effects: Effects) -> Action:
    """Return the action of phase B: it begins when the controller is notified of the ISR, or takes it up again."""
    state = replica_state[c][p][r]
    added = _target if not effects.chosen.has("KIP-455") else _adding
    online = effects.replica_to(c, p, r, added.contains(r), state, "OnlineReplica")
    from_states = tuple(each for each in effects.valid["replica"]["OnlineReplica"] if each != "NewReplica")
    started = set_of(r, both(added.contains(r), one_of(state, from_states)))
    effects.sends(c, p, started, ~started.is_empty(), cached[c][p])
    effects.completed = True
    noticed = both(phase[c].eq("idle"), topics[c].contains(p))
    return action(
        "FinishReassignment",
        "All target replicas are in the ISR: they are online, and one of them leads.",
        c,
        p,
        guard={
            "is at it, or notices": either(both(phase[c].eq("reassigning"), reassigning[c].contains(p)), noticed),
            "one goes on": origin[p].is_some(),
            "all replicas that are asked for are in the ISR": _caught_up(),
        },
        updates=_leader_moves(
            effects,
            {
                replica_state[c]: replica_state[c].put(p, mapped(r, online)),
                finishing[c]: some(p),
                to_move[c]: _removing,
                phase[c]: now("finishing"),
            },
        ),
        cites=("onPartitionReassignment in KafkaController.scala",),
    )


def cancel(effects: Effects) -> Action:
    """Return the action that cancels: replicas that were being added are dropped before the leader epoch is raised."""
    _handled(effects, printed(had(p), NO_ASSIGNMENT))
    return action(
        "CancelReassignment",
        "An administrator cancels a reassignment: the partition gets back the replicas that it had.",
        c,
        p,
        guard={
            "is idle": waived(phase[c].eq("idle"), _ONE_THREAD),
            "one goes on": both(origin[p].is_some(), topics[c].contains(p)),
        },
        limits=_ROOM,
        updates={
            origin[p]: NO_ASSIGNMENT,
            assignment[p]: had(p),
            reassigning[c]: reassigning[c].insert(p),
            finishing[c]: some(p),
            to_move[c]: _adding,
            phase[c]: now("finishing"),
            reassignments: reassignments + 1,
        },
        cites=("KIP-455", "updateCurrentReassignment in KafkaController.scala"),
    )


def drop(effects: Effects) -> Action:
    """Return the action that drops replicas, all steps with the last of them: nobody waits for an answer."""
    effects.completed = True
    moved, held = effects.offline(c, p, b, replica_state[c][p][b], true, stay=_target)
    state = ite(r.eq(b), moved, replica_state[c][p][r])
    is_last = to_move[c].eq(some(b).set())
    dropped = both(is_last, ~_target.contains(r), state.ne(unknown_is("replica")))
    started = effects.replica_to(c, p, r, dropped, state, "ReplicaDeletionStarted")
    effects.stops(c, p, both(dropped, started.eq("ReplicaDeletionStarted")), held.cache)
    deleted = effects.replica_to(c, p, r, dropped, started, "ReplicaDeletionSuccessful")
    gone = effects.replica_to(c, p, r, dropped, deleted, unknown_is("replica"))
    return action(
        "DropReplica",
        (
            "A replica that is not in the target is stopped; once all such replicas are stopped, their brokers "
            "are asked to delete them."
        ),
        c,
        p,
        b,
        guard={
            "is at it": waived(
                both(phase[c].eq("finishing"), finishing[c].eq(some(p))), "otherwise none is to be dropped"
            ),
            "is to be dropped": to_move[c].contains(b),
        },
        updates={
            to_move[c]: to_move[c].remove(b),
            replica_state[c]: replica_state[c].put(p, mapped(r, gone)),
            cached[c]: cached[c].put(p, held.cache),
            znode[p]: held.znode,
        },
        cites=("stopRemovedReplicasOfReassignedPartition in KafkaController.scala",),
    )


def _dropped() -> dict[str, Expr]:
    return {
        "is at it": both(phase[c].eq("finishing"), finishing[c].eq(some(p))),
        "replicas are dropped": to_move[c].is_empty(),
    }


def raise_epoch(effects: Effects) -> Action:
    return action(
        "EndCancellation",
        "A reassignment is cancelled, and the replicas that it added are dropped: the leader epoch is raised.",
        c,
        p,
        guard={
            **{
                label: waived(clause, "a higher leader epoch is legal at any time")
                for label, clause in _dropped().items()
            },
            "is cancelled": reassigning[c].contains(p),
        },
        updates=_leader_moves(effects, {reassigning[c]: reassigning[c].remove(p)}),
        cites=("moveReassignedPartitionLeaderIfRequired in KafkaController.scala",),
    )


def end(effects: Effects) -> Action:
    effects.completed = True
    if effects.chosen.has("KIP-455"):
        _handled(effects, printed(assignment[p], NO_ASSIGNMENT))
    effects.updates(c, p, true, cached[c][p])
    left = reassigning[c].remove(p)
    cancelled = both(origin[p].is_none(), reassigning[c].contains(p))
    return action(
        "EndReassignment",
        "The partition has the target replicas, and no others.",
        c,
        p,
        guard={**_dropped(), "is not being cancelled": ~cancelled},
        updates={
            origin[p]: NO_ASSIGNMENT,
            finishing[c]: none(Partition),
            reassigning[c]: left,
            phase[c]: _next(effects, left),
        },
        cites=("onPartitionReassignment in KafkaController.scala",),
    )


def _heeds(effects: Effects, ordered: Expr, mine: Expr) -> Expr:
    """Check whether a replica is stopped: since 2.6 by no lower epoch, up to 3.4.0 not by its own.

    That is stopReplicas in ReplicaManager.scala.
    """
    if effects.chosen.before("2.6"):
        return ordered.is_some()
    its, own = ordered.value["leader_epoch"], mine.value["leader_epoch"]
    newer = own < its if effects.chosen.has("KAFKA-13972") else own <= its
    return both(ordered.is_some(), either(mine.is_none(), newer))


def _may_stop(effects: Effects) -> dict[str, Expr | Clause]:
    harmless = {"the broker runs": "a dead broker hosts nothing"}
    if not effects.chosen.before("2.6"):
        harmless["its broker epoch is not older"] = "a broker that has a replica again knows a higher leader epoch"
    return may_read(effects, "StopReplica", harmless)


def handle(effects: Effects) -> Action:
    ordered, mine = head(effects.chosen, b, e)["states"][p], hosted[b][p]
    heeds = _heeds(effects, ordered, mine)
    effects.lines += replica_stopped(effects, b, e, ordered, mine, heeds)
    return action(
        "HandleStopReplica",
        "A broker is asked to delete a replica, and does so unless it knows a newer leader epoch.",
        b,
        e,
        guard=_may_stop(effects),
        updates={
            **read(effects),
            hosted[b]: mapped(p, ite(heeds, NO_ZNODE, mine)),
            listed[b]: mapped(p, ite(heeds, NO_BROKERS, listed[b][p])),
        },
        cites=("stopReplicas in ReplicaManager.scala", "KIP-570"),
    )


def writers(chosen: Chosen) -> tuple[Callable[[Effects], Action], ...]:
    """The actions of a release: since 2.4 a reassignment can be cancelled."""
    usual: tuple[Callable[[Effects], Action], ...] = (reassign, add_replicas, finish, drop, end)
    if REQUESTS in chosen.parts:
        usual = (*usual, handle)
    if FACTORS in chosen.parts:
        usual = (*usual, reassign_to_one, reassign_to_three)
    return (*usual, cancel, raise_epoch) if chosen.has("KIP-455") and CANCELLED in chosen.parts else usual


def properties(chosen: Chosen) -> tuple[Property, ...]:
    """Return the properties that are promised of reassignments."""
    leads = both(registered.contains(b), hosted[b][p].value["leader"].eq(some(b)), znode[p].value["leader"].eq(some(b)))
    strays = both(registered.contains(b), hosted[b][p].is_some(), ~hosts(chosen.parts, p).contains(b))
    return (
        Property(
            "LeaderKnowsReplicas",
            "Once the controller has settled and no request is on its way, a leader knows the replicas that a "
            "partition has.",
            exists(c, informed_and_quiet(chosen, c)).implies(
                forall(p, forall(b, leads.implies(listed[b][p].eq(hosts(chosen.parts, p)))))
            ),
            cites=("kafka.controller.KafkaController",),
        ),
        Property(
            "RemovedIsDeleted",
            (
                "Once the controller has settled and no request is on its way, no live broker hosts a replica that "
                "the partition no longer has."
            ),
            exists(c, informed_and_quiet(chosen, c)).implies(forall(p, forall(b, ~strays))),
            cites=("KAFKA-13972",),
        ),
    )


_on_disk = field("on_disk", MapOf(Broker, SetOf(Partition)))
_mistaken = field("mistaken", Bool)


def logs(chosen: Chosen) -> Ghosts:
    """Return the ghosts of logs: the brokers that have one, and whether one that is added was sent as not new."""
    effects = Effects(chosen)
    ordered, mine = head(chosen, b, e)["states"][p], hosted[b][p]
    taken = takes(effects, ordered, mine)
    added = both(origin[p].is_some(), _adding.contains(b))
    unaware = both(taken, ~head(chosen, b, e)["new"].contains(p), ~_on_disk[b].contains(p), added)
    handled: tuple[Update, ...] = (
        update(_on_disk[b], _on_disk[b].union(set_of(p, taken))),
        update(_mistaken, either(_mistaken, exists(p, unaware))),
    )
    stopped = update(_on_disk[b], _on_disk[b].minus(set_of(p, _heeds(effects, ordered, mine))))
    return Ghosts(
        "logs",
        (
            starts(_on_disk, fill(_on_disk.sort, frozenset()), "the partitions for which a broker has a log"),
            starts(_mistaken, false, "a replica that is added was sent as not new"),
        ),
        {"HandleLeaderAndIsr": handled, "HandleStopReplica": (stopped,)},
        (
            Property(
                "AddedIsToldNew",
                "A replica that a reassignment adds, and that has no log yet, is sent as new.",
                ~_mistaken,
                cites=("KAFKA-10314",),
            ),
        ),
    )
