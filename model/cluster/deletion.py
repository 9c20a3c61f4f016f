"""Topic deletion (TopicDeletionManager.scala): queued in ZooKeeper, started, answered, retried, completed.

A topic has one partition here, or several where the instance has such topics: they are deleted together. What a
controller knows of deletions is lost with it; what is queued is not. A partition is moved to NonExistentPartition when
its deletion starts; up to 2.0 when it is complete (TopicDeletionManager.scala).
"""

from __future__ import annotations

from collections.abc import Callable

from ..action import Action, Clause, action, waived
from ..expr import Expr, after, both, either, exists, fill, forall, ite, mapped, set_of, true, var
from ..lines import Line
from ..property import Property
from ..sorts import Bool, MapOf, Value
from .controller import Updates, unknown_is
from .effects import ISR, REQUESTS, Effects
from .state import (
    DIRECTORIES,
    LARGE,
    NO_ZNODE,
    NOTHING_ASKED,
    REASSIGNMENT,
    UNASSIGNED,
    Broker,
    Partition,
    PartitionState,
    ReplicaState,
    all_of_topic,
    asked_to_delete,
    assignment,
    b,
    c,
    cached,
    channel,
    created,
    epoch,
    exists_topic,
    failed,
    hosted,
    ineligible,
    literal,
    live,
    now,
    of_one_topic,
    origin,
    p,
    partition_state,
    phase,
    proposed,
    queued,
    r,
    registered,
    replica_state,
    replicas,
    some_of_topic,
    to_delete,
    to_stop,
    topic_of,
    topics,
    znode,
)

_LATER = "the rest is done the next time: only the end of a deletion needs it"
_any, _topic, _of = var("any", Broker), var("topic", Partition), var("of", Partition)


def _complete(effects: Effects, c: Expr, of: Expr) -> Expr:
    """All replicas of the topic of a partition are deleted."""
    deleted = replica_state[c][p][_any].eq("ReplicaDeletionSuccessful")
    all_deleted = forall(_any, replicas(assignment[p]).contains(_any).implies(deleted))
    return all_of_topic(effects.chosen.parts, of, all_deleted)


def _is_some(state: Expr, of: Expr, wanted: str) -> Expr:
    return exists(_any, of.contains(_any) & state[_any].eq(wanted))


def delete_topic(effects: Effects) -> Action:
    large = LARGE in effects.chosen.parts
    all_of_it = set_of(_topic, both(created.contains(_topic), of_one_topic(effects.chosen.parts, p, _topic)))
    return action(
        "DeleteTopic",
        "An administrator deletes a topic: it is queued in /admin/delete_topics.",
        p,
        guard={
            "is there": exists_topic(p),
            "is not queued": waived(~queued.contains(p), "it would change nothing"),
        },
        updates={queued: queued.union(all_of_it) if large else queued.insert(p)},
    )


def note_deletions(effects: Effects) -> Action:
    effects.lines.append((Line("topic-deletion-queued", c, {"controller": c, "detail": queued}),))
    return action(
        "NoteDeletions",
        "The controller takes note of topics that are queued for deletion.",
        c,
        guard={
            "is idle": waived(phase[c].eq("idle"), "the thread does one thing at a time; a note disturbs nothing"),
            "topics are queued": waived(to_delete[c].ne(queued), "otherwise there is nothing to do"),
            "it knows the topics": queued.subset_of(topics[c]),
        },
        updates={to_delete[c]: queued, phase[c]: now("resuming")},
        cites=("TopicDeletion in KafkaController.scala",),
    )


def complete_deletion(effects: Effects) -> Action:
    """Return the action by which the controller, and ZooKeeper, forget a topic."""
    which, mine = (_of, of_one_topic(effects.chosen.parts, _of, p)) if LARGE in effects.chosen.parts else (p, true)
    assigned = both(mine, replicas(assignment[p]).contains(r))
    effects.replica_to(c, p, r, assigned, replica_state[c][p][r], unknown_is("replica"))
    if effects.chosen.before("2.1"):
        _leave(effects, both(mine, created.contains(p)) if mine is not true else true, partition_state[c][p])
    nowhere = fill(MapOf(Broker, ReplicaState), unknown_is("replica"))
    no_marks = fill(MapOf(Broker, Bool), False)

    def without(some: Expr) -> Expr:
        return some.minus(set_of(p, mine)) if mine is not true else some.remove(p)

    def put(old: Expr, value: Expr | Value) -> Expr:
        return mapped(p, ite(~mine, old[p], value)) if mine is not true else old.put(p, value)

    return action(
        "CompleteDeletion",
        "All replicas of a topic are deleted: the controller forgets it, and deletes its znodes.",
        c,
        which,
        guard={
            "resumes": waived(phase[c].eq("resuming"), "a deleted topic may be forgotten at any time"),
            "is queued": waived(effects.is_queued(c, which), "only replicas of queued topics are deleted"),
            "all replicas are deleted": _complete(effects, c, which),
        },
        updates={
            created: without(created),
            queued: without(queued),
            **_forgotten(mine, put),
            topics[c]: without(topics[c]),
            to_delete[c]: without(to_delete[c]),
            cached[c]: put(cached[c], NO_ZNODE),
            replica_state[c]: put(replica_state[c], nowhere),
            partition_state[c]: put(partition_state[c], literal(unknown_is("partition"), PartitionState)),
            asked_to_delete[c]: put(asked_to_delete[c], no_marks),
            ineligible[c]: put(ineligible[c], False),
        },
        cites=("completeDeleteTopic in TopicDeletionManager.scala",),
    )


def _forgotten(mine: Expr, put: Callable[[Expr, Expr], Expr]) -> Updates:
    """Return the updates that remove the deleted partitions from ZooKeeper."""
    if mine is true:
        return {assignment[p]: UNASSIGNED, znode[p]: NO_ZNODE}
    return {assignment: put(assignment, UNASSIGNED), znode: put(znode, NO_ZNODE)}


def _leave(effects: Effects, asked: Expr, state: Expr) -> Expr:
    """Return the state of a partition that goes offline, then ceases to exist."""
    offline = effects.partition_to(c, p, asked, state, "OfflinePartition")
    return effects.partition_to(c, p, asked, offline, "NonExistentPartition")


def resume_deletions(effects: Effects) -> Action:
    state, mine = replica_state[c][p], replicas(assignment[p])
    failed = both(_waits(effects), mine.contains(r), state[r].eq("ReplicaDeletionIneligible"))
    return action(
        "ResumeDeletions",
        ("The failed replicas of each queued topic for which no request is on the way are to be stopped once more."),
        c,
        guard={
            "resumes": phase[c].eq("resuming"),
            "nothing is complete": waived(~_some_complete(effects, c), _LATER),
        },
        updates={phase[c]: now("retrying"), to_stop[c]: mapped(p, mapped(r, failed))},
        cites=("resumeDeletions, markTopicForDeletionRetry in TopicDeletionManager.scala",),
    )


def retry_deletion(effects: Effects) -> Action:
    moved, held = effects.offline(c, p, b, replica_state[c][p][b], true)
    return action(
        "RetryDeletion",
        "A replica whose deletion failed is moved to OfflineReplica, and may be deleted once more.",
        c,
        p,
        b,
        guard={"retries": waived(phase[c].eq("retrying"), _LATER), "is to be stopped": to_stop[c][p][b]},
        updates={
            to_stop[c]: _unmarked(),
            replica_state[c]: replica_state[c].put(p, replica_state[c][p].put(b, moved)),
            cached[c]: cached[c].put(p, held.cache),
            znode[p]: held.znode,
        },
        cites=("markTopicForDeletionRetry in TopicDeletionManager.scala",),
    )


def startable(effects: Effects) -> dict[str, Expr]:
    """Return the conditions under which the deletion of a topic starts, by what they say."""
    found = {
        "it is queued, and no broker is asked to delete a replica of it": _waits(effects),
        "nothing marks it ineligible for deletion": ~ineligible[c][p],
    }
    if REASSIGNMENT in effects.chosen.parts:
        ended = all_of_topic(effects.chosen.parts, p, origin[p].is_none())
        found["no partition of it is being reassigned"] = ended
    return found


def begin_deletion(effects: Effects) -> Action:
    state, mine = replica_state[c][p], replicas(assignment[p])
    starts = both(*startable(effects).values())
    alive = mine.intersect(effects.online_brokers(c, p))
    to_start = both(starts, alive.contains(r), state[r].ne("ReplicaDeletionSuccessful"))
    partition = partition_state[c][p]
    if not effects.chosen.before("2.1"):
        partition = _leave(effects, both(starts, partition.ne(unknown_is("partition"))), partition)
    dead = both(starts, mine.minus(alive).contains(r))
    some_dead = some_of_topic(effects.chosen.parts, p, ~mine.subset_of(alive))
    effects.updates(c, p, starts, cached[c][p])
    failed = effects.replica_to(c, p, r, dead, state[r], "ReplicaDeletionIneligible")
    return action(
        "BeginDeletion",
        (
            "The controller starts the deletion of each queued topic that nothing blocks: replicas of dead "
            "brokers are ineligible, live ones are to be stopped."
        ),
        c,
        guard={"retries": phase[c].eq("retrying"), "nothing is to be stopped": waived(_none_marked(c), _LATER)},
        updates={
            phase[c]: now("deleting"),
            replica_state[c]: mapped(p, mapped(r, failed)),
            partition_state[c]: mapped(p, partition),
            ineligible[c]: mapped(p, either(ineligible[c][p], both(starts, some_dead))),
            to_stop[c]: mapped(p, mapped(r, to_start)),
        },
        cites=("onTopicDeletion, startReplicaDeletion in TopicDeletionManager.scala",),
    )


def stop(effects: Effects) -> Action:
    moved, held = effects.offline(c, p, b, replica_state[c][p][b], true)
    return action(
        "StopToDelete",
        "A live replica of a topic that is deleted is moved to OfflineReplica: it is about to be deleted.",
        c,
        p,
        b,
        guard={"deletes": phase[c].eq("deleting"), "is to be stopped": to_stop[c][p][b]},
        updates={
            to_stop[c]: _unmarked(),
            replica_state[c]: replica_state[c].put(p, replica_state[c][p].put(b, moved)),
            asked_to_delete[c]: asked_to_delete[c].put(p, asked_to_delete[c][p].put(b, True)),
            cached[c]: cached[c].put(p, held.cache),
            znode[p]: held.znode,
        },
        cites=("startReplicaDeletion in TopicDeletionManager.scala",),
    )


def delete_stopped(effects: Effects) -> Action:
    """Return the action that starts deletion; an asked replica without an answer is ReplicaDeletionStarted, or dead."""
    state, asked = replica_state[c][p][r], asked_to_delete[c][p][r]
    stopped = both(asked, state.ne("ReplicaDeletionStarted"), effects.online_brokers(c, p).contains(r))
    started = effects.replica_to(c, p, r, stopped, state, "ReplicaDeletionStarted")
    return action(
        "DeleteStopped",
        "All replicas that could be stopped are: they are moved to ReplicaDeletionStarted, and their brokers are "
        "asked to delete them.",
        c,
        guard={"deletes": phase[c].eq("deleting"), "nothing is to be stopped": waived(_none_marked(c), _LATER)},
        updates={
            phase[c]: now("idle"),
            replica_state[c]: mapped(p, mapped(r, started)),
            asked_to_delete[c]: mapped(
                p, mapped(r, both(asked, either(~stopped, started.eq("ReplicaDeletionStarted"))))
            ),
        },
        cites=("startReplicaDeletion in TopicDeletionManager.scala",),
    )


def _some_complete(effects: Effects, c: Expr) -> Expr:
    return exists(_topic, both(effects.is_queued(c, _topic), _complete(effects, c, _topic)))


def _waits(effects: Effects) -> Expr:
    """The topic of p is queued, and none of its replicas is being deleted."""
    started = _is_some(replica_state[c][p], replicas(assignment[p]), "ReplicaDeletionStarted")
    return both(effects.is_queued(c, p), ~some_of_topic(effects.chosen.parts, p, started))


def _unmarked() -> Expr:
    return to_stop[c].put(p, to_stop[c][p].put(b, False))


def _none_marked(c: Expr) -> Expr:
    return forall(_topic, forall(_any, ~to_stop[c][_topic][_any]))


def delete_replica(effects: Effects) -> Action:
    guard: dict[str, Expr | Clause] = {
        "is idle": phase[c].eq("idle"),
        "its broker was asked to delete it": asked_to_delete[c][p][b],
        "its broker lives": both(registered.contains(b), live[c].contains(b)),
    }
    updates = _answered(effects, "ReplicaDeletionSuccessful", fails=False)
    if REQUESTS in effects.chosen.parts:
        guard["earlier requests have arrived"] = channel(effects.chosen.parts)[b][epoch[c]].length().eq(0)
        updates[hosted[b]] = hosted[b].put(p, NO_ZNODE)
    if DIRECTORIES in effects.chosen.parts:
        guard["its directory works"] = waived(~failed[b].contains(p), "a lost replica is gone as well")
    if ISR in effects.chosen.parts:
        updates[proposed[b]] = proposed[b].put(p, NOTHING_ASKED)
    return action(
        "DeleteReplica",
        "A live broker has deleted a replica, and reports it.",
        c,
        p,
        b,
        guard=guard,
        updates=updates,
        cites=("TopicDeletionStopReplicaResponseReceived in KafkaController.scala",),
    )


def fail_to_delete(effects: Effects) -> Action:
    return action(
        "FailToDelete",
        (
            "A broker answers with an error that it could not delete a replica; the answer may arrive after the "
            "broker has died."
        ),
        c,
        p,
        b,
        guard={"is idle": phase[c].eq("idle"), "was asked": asked_to_delete[c][p][b]},
        updates=_answered(effects, "ReplicaDeletionIneligible", fails=True),
        cites=("TopicDeletionStopReplicaResponseReceived in KafkaController.scala",),
    )


def _answered(effects: Effects, target: str, fails: bool) -> Updates:
    state = replica_state[c][p]
    moved = effects.replica_to(c, p, b, effects.is_queued(c, p), state[b], target)
    updates: Updates = {
        phase[c]: now("resuming"),
        replica_state[c]: replica_state[c].put(p, state.put(b, moved)),
        asked_to_delete[c]: asked_to_delete[c].put(p, asked_to_delete[c][p].put(b, False)),
    }
    if fails:
        ineligible_now = mapped(_topic, either(ineligible[c][_topic], of_one_topic(effects.chosen.parts, p, _topic)))
        updates[ineligible[c]] = ineligible_now if LARGE in effects.chosen.parts else ineligible[c].put(p, True)
    return updates


_was, _is = created, after(created)
DELETED_WHOLE = Property(
    "DeletedWhole",
    "A topic is deleted with all of its partitions at once.",
    forall(
        p,
        forall(
            _topic,
            both(topic_of[p].eq(topic_of[_topic]), _was.contains(p), _was.contains(_topic), ~_is.contains(p)).implies(
                ~_is.contains(_topic)
            ),
        ),
    ),
    "step",
    cites=("completeDeleteTopic in TopicDeletionManager.scala",),
)
QUEUED_WHOLE = Property(
    "QueuedWhole",
    "All partitions of a topic that is queued for deletion are queued.",
    forall(
        p,
        forall(
            _topic,
            both(topic_of[p].eq(topic_of[_topic]), created.contains(p), queued.contains(_topic)).implies(
                queued.contains(p)
            ),
        ),
    ),
    cites=("kafka.controller.TopicDeletionManager",),
)
