"""The columns of a line that give its writer and its meaning: closed vocabularies.

Lines of a kind are selected by these (`rows_with`), never by their ids.
"""

from __future__ import annotations

from collections.abc import Mapping

SPEAKERS: Mapping[str, str] = {
    "controller": "a broker's controller module, whether or not the broker is the controller, or a KRaft controller",
    "broker": "a broker, about the requests that it receives and its own replicas",
    "quorum": "a node of KRaft's metadata quorum, voter or observer",
    "throwable": "the Java runtime: the first line of a throwable, which has no time, level and logger",
    "node": "a process, about itself or another; only what happened to a cluster is made of these lines",
}

ROLES: Mapping[str, str] = {
    "move-made": "a state machine moved its entity to another state",
    "created": "a move: a partition is new, and has an assignment",
    "elected": "a move: a partition has a leader, and its state znode is written",
    "move-refused": "a move of a state machine was refused, or failed: the state did not change",
    "refusal": "the throwable with which Kafka refuses a move",
    "leader-and-isr-sent": "a LeaderAndIsr request about a partition is sent to a broker",
    "update-metadata-sent": "an UpdateMetadata request about a partition is sent to brokers",
    "request-sent": "a whole request is sent to brokers; the line counts its partitions",
    "reassigned": "the replicas of a partition being reassigned are sent its new assignment and raised leader epoch",
    "replica-removed": "the content of the state znode after a replica went offline",
    "topic-deleted": "a controller finished the deletion of a topic: its partitions no longer exist",
    "live-brokers": "a controller prints the live brokers",
    "request-received": "a broker names the controller that sent a request, and its epoch",
    "request-begun": "a broker begins to carry out a request, whole or for a partition",
    "request-ended": "a broker has carried out a request, whole or for a partition",
    "request-refused": "a broker does not carry out a request",
    "step-skipped": "a broker skips a step of a request, or fails in it",
    "leads": "a partition leads on a broker from here",
    "follows": "a partition follows on a broker from here",
    "hosts": "a broker hosts a partition from here",
    "partition-state": "a broker took a newer state of a partition in the same leader epoch, or refused an older one",
    "isr-change": "a leader is about to change its ISR",
    "isr-written": "a leader's ISR is changed",
    "isr-not-written": "a leader's change of its ISR failed, or is not decided",
    "log-loaded": "the high watermark with which a broker begins to host a partition",
    "log-created": "a broker has a new, empty log",
    "log-opened": "the end of a log that a broker opens",
    "epoch-entry": "a log has a new leader epoch",
    "truncates": "a follower decides to cut its log",
    "truncated": "a log is cut, or needs no cut",
    "high-watermark-fell": "a follower's high watermark became smaller",
    "fetching-changed": "a broker begins to fetch partitions, or stops",
    "fetch-refused": "a follower's fetch of a partition failed: it is retried, or waits for a new leader epoch",
    "fetch-failed": "a follower gave up a partition",
    "append-refused": "a leader did not append records",
    "replica-stopped": "a broker stopped a replica",
    "replica-deleted": "a broker deletes a replica's log",
    "replica-offline": "a log directory of a broker has failed, and its replicas are offline",
    "process-starts": "a broker's process starts",
    "process-ends": "a broker's process ends, or begins to",
    "version-printed": "a process prints the release of its jars",
    "registered": "a broker is registered",
    "raft-opened": "a node opens its copy of the metadata log: its process has just started",
    "raft-deleted": "a node deletes its copy of the metadata log: its epochs begin again, and no other node's do",
    "raft-moved": "a node of the metadata quorum is in another state, or in another epoch",
    "raft-voted": "a node of the metadata quorum granted its vote in an epoch",
    "raft-high-watermark": "a node of the metadata quorum learns of committed records in an epoch",
    "raft-high-watermark-falls": "a leader of the metadata quorum finds fewer records than were committed",
    "voters-told": "a leader of the metadata quorum writes other voters, or learns more about them",
    "cluster-told": "a KRaft controller starts, and names its cluster",
    "quorum-active": "a KRaft controller becomes active",
    "quorum-renounced": "a KRaft controller is no longer active, and takes back uncommitted records",
    "quorum-leader-told": "a KRaft controller hears of the leader of an epoch",
    "registration-told": "a KRaft controller prints the state of a partition in the metadata log, or a proposed one",
    "registration-change-told": "a KRaft controller applies a record that changes a broker's registration",
    "fencing-told": "a KRaft controller is about to fence a broker",
    "changes-told": "a KRaft controller prints the number of partitions that it changes because a broker comes or goes",
    "reassignment-told": "a KRaft controller prints that a reassignment is over",
    "deletions-told": "a broker prints the number of replicas that it deletes according to the metadata log",
    "start": "a broker starts to become the controller",
    "epoch-read": "an elected broker read the previous controller's epoch, which is not its own",
    "ready": "the start of a controller ends",
    "end": "the time of a broker as controller ends, if it was the controller",
    "other-controller": "another broker is the controller",
    "note": "only the writer, the time, the epoch and the wording",
    "happening": "something happened to a node, the quorum, a partition or a topic; bears on no rule",
    "irrelevant": "bears on no rule: recognised and counted, its fields are dropped",
}
"""A row has one role."""
DROPPED = "irrelevant"
"""The role of rows whose fields are dropped."""
OF_NO_RULE = (DROPPED, "happening")
"""Roles of rows that bear on no rule."""

MOVES = ("move-made", "created", "elected")
"""Roles of a move that was made."""
VIEWS = ("elected", "leader-and-isr-sent", "update-metadata-sent", "reassigned", "replica-removed")
"""Roles of lines that print a partition's leader and ISR."""

ENTITIES = ("replica", "partition")
"""The entities that a state machine moves."""
OF_ENTITIES = (*MOVES, "move-refused", "refusal")
"""Roles that say which state machine's entity they are about; no other role does."""
