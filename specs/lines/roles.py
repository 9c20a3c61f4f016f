"""The columns of a line that say who writes it and what it tells: closed vocabularies.

Whoever looks for lines of a kind asks for them by these (`rows_with`), never by their ids.
"""

from __future__ import annotations

from collections.abc import Mapping

SPEAKERS: Mapping[str, str] = {
    "controller": "a broker's controller module, whether or not the broker is the controller, or a KRaft controller",
    "broker": "a broker, about the requests that it receives and its own replicas",
    "throwable": "the Java runtime: the first line of a throwable, which has no time, level and logger",
}

ROLES: Mapping[str, str] = {
    "move-made": "a state machine moved its entity to another state",
    "created": "a move: a partition is new, and has an assignment",
    "elected": "a move: a partition has a leader, and its state znode is written",
    "move-refused": "a move of a state machine was refused, or failed: the state did not change",
    "refusal": "the throwable with which Kafka refuses a move",
    "leader-and-isr-sent": "a LeaderAndIsr request about a partition is sent to a broker",
    "update-metadata-sent": "an UpdateMetadata request about a partition is sent to brokers",
    "reassigned": "the replicas of a partition being reassigned are sent its new assignment and raised leader epoch",
    "replica-removed": "what the state znode holds after a replica went offline",
    "topic-deleted": "a controller finished the deletion of a topic: its partitions are no more",
    "live-brokers": "a controller prints which brokers are alive",
    "request-received": "a broker names the controller, and its epoch, that a request came from",
    "start": "a broker starts to become the controller",
    "epoch-read": "a coming controller read the epoch of the one before: it does not have that epoch itself",
    "ready": "the start of a controller ends",
    "end": "what a broker did as a controller, if it was the controller, ends",
    "other-controller": "another broker is the controller",
    "note": "nothing but who writes it, when, in which epoch, and in which wording",
    "irrelevant": "bears on no rule: recognised and counted, its fields are dropped",
}
"""A row has one role."""

MOVES = ("move-made", "created", "elected")
"""Roles of a move that was made."""
VIEWS = ("elected", "leader-and-isr-sent", "update-metadata-sent", "reassigned", "replica-removed")
"""Roles of lines that print a partition's leader and ISR."""

ENTITIES = ("replica", "partition")
"""What a state machine moves."""
OF_ENTITIES = (*MOVES, "move-refused", "refusal")
"""Roles that say which state machine's entity they are about; no other role does."""
