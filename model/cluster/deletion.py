"""Topic deletion (controller.md 4.1): queued in ZooKeeper, started, answered, retried, completed.

A topic has one partition here. What a controller knows of deletions is lost with it; what is queued is not. A partition
is moved to NonExistentPartition when its deletion starts; up to 2.0 when it is complete (TopicDeletionManager.scala).
"""

from __future__ import annotations

from ..action import Action, Clause, action, waived
from ..expr import Expr, both, either, exists, fill, forall, mapped, true, var
from ..sorts import Bool, MapOf
from .controller import Updates, unknown_is
from .effects import ISR, REQUESTS, Effects
from .state import (
    DIRECTORIES,
    NO_ZNODE,
    NOTHING_ASKED,
    REASSIGNMENT,
    UNASSIGNED,
    Broker,
    Partition,
    PartitionState,
    ReplicaState,
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
    to_delete,
    to_stop,
    topics,
    znode,
)

_LATER = "what is left is done the next time: only the end of a deletion needs it"
_any, _topic = var("any", Broker), var("topic", Partition)


def _complete(c: Expr, p: Expr) -> Expr:
    deleted = replica_state[c][p][_any].eq("ReplicaDeletionSuccessful")
    return forall(_any, replicas(assignment[p]).contains(_any).implies(deleted))


def _is_some(state: Expr, of: Expr, wanted: str) -> Expr:
    return exists(_any, of.contains(_any) & state[_any].eq(wanted))


def delete_topic(_: Effects) -> Action:
    return action(
        "DeleteTopic",
        "An administrator deletes a topic: it is queued in /admin/delete_topics.",
        p,
        guard={
            "is there": exists_topic(p),
            "is not queued": waived(~queued.contains(p), "it would change nothing"),
        },
        updates={queued: queued.insert(p)},
    )


def note_deletions(_: Effects) -> Action:
    return action(
        "NoteDeletions",
        "The controller takes note of topics that are queued for deletion.",
        c,
        guard={
            "is idle": waived(phase[c].eq("idle"), "the thread does one thing at a time; a note disturbs nothing"),
            "topics are queued": waived(to_delete[c].ne(queued), "else nothing is to be done"),
            "it knows the topics": queued.subset_of(topics[c]),
        },
        updates={to_delete[c]: queued, phase[c]: now("resuming")},
        cites=("TopicDeletion in KafkaController.scala",),
    )


def complete_deletion(effects: Effects) -> Action:
    """The controller forgets a topic, and ZooKeeper does."""
    nowhere = fill(MapOf(Broker, ReplicaState), unknown_is("replica"))
    effects.replica_to(c, p, r, replicas(assignment[p]).contains(r), replica_state[c][p][r], unknown_is("replica"))
    if effects.chosen.before("2.1"):
        _leave(effects, true, partition_state[c][p])
    no_marks = fill(MapOf(Broker, Bool), False)
    return action(
        "CompleteDeletion",
        "All replicas of a topic are deleted: the controller forgets it, and deletes its znodes.",
        c,
        p,
        guard={
            "resumes": waived(phase[c].eq("resuming"), "what is deleted may be forgotten at any time"),
            "is queued": waived(effects.is_queued(c, p), "only replicas of queued topics are deleted"),
            "all replicas are deleted": _complete(c, p),
        },
        updates={
            created: created.remove(p),
            queued: queued.remove(p),
            assignment[p]: UNASSIGNED,
            znode[p]: NO_ZNODE,
            topics[c]: topics[c].remove(p),
            to_delete[c]: to_delete[c].remove(p),
            cached[c]: cached[c].put(p, NO_ZNODE),
            replica_state[c]: replica_state[c].put(p, nowhere),
            partition_state[c]: partition_state[c].put(p, literal(unknown_is("partition"), PartitionState)),
            asked_to_delete[c]: asked_to_delete[c].put(p, no_marks),
            ineligible[c]: ineligible[c].put(p, False),
        },
        cites=("completeDeleteTopic in TopicDeletionManager.scala",),
    )


def _leave(effects: Effects, asked: Expr, state: Expr) -> Expr:
    """A partition goes offline, then it is none any more."""
    offline = effects.partition_to(c, p, asked, state, "OfflinePartition")
    return effects.partition_to(c, p, asked, offline, "NonExistentPartition")


def resume_deletions(effects: Effects) -> Action:
    state, mine = replica_state[c][p], replicas(assignment[p])
    failed = both(_waits(effects, c, p), mine.contains(r), state[r].eq("ReplicaDeletionIneligible"))
    return action(
        "ResumeDeletions",
        "Of each topic that is queued, and of which nothing is on the way, the replicas that failed are to be stopped "
        "once more.",
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


def begin_deletion(effects: Effects) -> Action:
    state, mine = replica_state[c][p], replicas(assignment[p])
    starts = both(_waits(effects, c, p), ~ineligible[c][p])
    if REASSIGNMENT in effects.chosen.parts:
        starts = both(starts, origin[p].is_none())
    alive = mine.intersect(effects.online_brokers(c, p))
    to_start = both(starts, alive.contains(r), state[r].ne("ReplicaDeletionSuccessful"))
    partition = partition_state[c][p]
    if not effects.chosen.before("2.1"):
        partition = _leave(effects, both(starts, partition.ne(unknown_is("partition"))), partition)
    dead = both(starts, mine.minus(alive).contains(r))
    effects.updates(c, p, starts, cached[c][p])
    failed = effects.replica_to(c, p, r, dead, state[r], "ReplicaDeletionIneligible")
    return action(
        "BeginDeletion",
        "The deletion of each topic that is queued, and that nothing stands in the way of, is started: replicas of "
        "dead brokers are ineligible, live ones are to be stopped.",
        c,
        guard={"retries": phase[c].eq("retrying"), "nothing is to be stopped": waived(_none_marked(c), _LATER)},
        updates={
            phase[c]: now("deleting"),
            replica_state[c]: mapped(p, mapped(r, failed)),
            partition_state[c]: mapped(p, partition),
            ineligible[c]: mapped(p, either(ineligible[c][p], both(starts, ~mine.subset_of(alive)))),
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
    """Who was asked before and has not answered is ReplicaDeletionStarted still, or dead."""
    state, asked = replica_state[c][p][r], asked_to_delete[c][p][r]
    stopped = both(asked, state.ne("ReplicaDeletionStarted"), effects.online_brokers(c, p).contains(r))
    started = effects.replica_to(c, p, r, stopped, state, "ReplicaDeletionStarted")
    return action(
        "DeleteStopped",
        "All replicas that could be stopped are: they are moved to ReplicaDeletionStarted, and their brokers told to "
        "delete them.",
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
    return exists(_topic, both(effects.is_queued(c, _topic), _complete(c, _topic)))


def _waits(effects: Effects, c: Expr, p: Expr) -> Expr:
    """The topic is queued, and none of its replicas is being deleted."""
    started = _is_some(replica_state[c][p], replicas(assignment[p]), "ReplicaDeletionStarted")
    return both(effects.is_queued(c, p), ~started)


def _unmarked() -> Expr:
    return to_stop[c].put(p, to_stop[c][p].put(b, False))


def _none_marked(c: Expr) -> Expr:
    return forall(_topic, forall(_any, ~to_stop[c][_topic][_any]))


def delete_replica(effects: Effects) -> Action:
    guard: dict[str, Expr | Clause] = {
        "is idle": phase[c].eq("idle"),
        "was asked": asked_to_delete[c][p][b],
        "lives": both(registered.contains(b), live[c].contains(b)),
    }
    updates = _answered(effects, "ReplicaDeletionSuccessful", fails=False)
    if REQUESTS in effects.chosen.parts:
        guard["what was sent before has arrived"] = channel(effects.chosen.parts)[b][epoch[c]].length().eq(0)
        updates[hosted[b]] = hosted[b].put(p, NO_ZNODE)
    if DIRECTORIES in effects.chosen.parts:
        guard["its directory works"] = waived(~failed[b].contains(p), "a replica that is lost is gone as well")
    if ISR in effects.chosen.parts:
        updates[proposed[b]] = proposed[b].put(p, NOTHING_ASKED)
    return action(
        "DeleteReplica",
        "A live broker has deleted a replica, and says so.",
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
        "A broker answers with an error that it could not delete a replica; the answer may come when it is dead.",
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
        updates[ineligible[c]] = ineligible[c].put(p, True)
    return updates
