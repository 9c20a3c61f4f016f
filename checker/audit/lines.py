"""The lines that the audit uses, by meaning: sets of ids of rows of the line table (specs/lines)."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.expr import Expr, either, field
from ...model.sorts import Enum
from ...specs.lines import STATE_CHANGE, rows_with
from ...specs.lines import rows as line_rows
from ...specs.lines.roles import ENTITIES, MOVES
from ...specs.lines.roles import VIEWS as VIEW_ROLES

MOVED: Mapping[str, tuple[str, ...]] = {name: rows_with(*MOVES, entity=name) for name in ENTITIES}
"""Lines of a move that was made."""
STOPPED: Mapping[str, tuple[str, ...]] = {name: rows_with("move-refused", entity=name) for name in ENTITIES}
"""Lines of a move that was refused or failed: the state did not change."""
CREATED = rows_with("created")
ELECTED = rows_with("elected")
LEADER_AND_ISR_SENT = rows_with("leader-and-isr-sent")
UPDATE_METADATA_SENT = rows_with("update-metadata-sent")
REASSIGNED = rows_with("reassigned")
REMOVED = rows_with("replica-removed")
REFUSED = rows_with("refusal")
"""First lines of the throwables with which Kafka refuses a move."""
REASONS = rows_with(speaker="throwable", mode="zk")
"""First lines of the throwables that say why a move was refused or failed."""
THROWN = rows_with(speaker="throwable")
REQUEST_RECEIVED = rows_with("request-received")
"""Lines in which a broker names a controller and its epoch."""
CACHED = ("metadata-cached",)
"""The line in which a broker prints a partition's state from an UpdateMetadata request."""
OF_BROKERS = tuple(row for row in rows_with(speaker="broker") if row not in REQUEST_RECEIVED)
"""Brokers' other lines. A controller that they name is the sender of a request."""
OF_ZOOKEEPER = rows_with(mode="zk")
"""Lines that nodes write in ZooKeeper mode only."""
BROKERS = rows_with(speaker="broker")
"""All lines that brokers write."""
LEADS, FOLLOWS = rows_with("leads"), rows_with("follows")
"""Lines from which a partition leads, or follows, on a broker."""
PROCESS_STARTS, PROCESS_ENDS = rows_with("process-starts"), rows_with("process-ends")
"""Lines that a broker's process writes once, when it starts or ends."""
VERSION_PRINTED = rows_with("version-printed")
"""Lines in which a process prints the release of its jars; they name no broker."""
LEADER_AND_ISR_RECEIVED = ("leader-and-isr-received",)
"""The line in which a broker prints a partition's state from a LeaderAndIsr request."""
LEADER_AND_ISR_BEGUN, LEADER_AND_ISR_ENDED = ("leader-and-isr-begun",), ("leader-and-isr-ended",)
"""A broker begins, and finishes, to handle a whole LeaderAndIsr request (since 2.6, and 2.7)."""
LEADER_AND_ISR_VOID = ("leader-and-isr-ignored", "leader-and-isr-error")
"""A broker accepts nothing from a whole LeaderAndIsr request, or does not finish it."""
BECOME_BEGUN, BECOME_ENDED = ("become-begun",), ("become-ended",)
"""Lines with which a broker begins, and finishes, to carry out a request for a partition."""
LEADER_UNAVAILABLE = ("leader-unavailable",)
"""A broker began to follow, but adopts nothing: it does not consider the leader alive."""
EPOCH_REFUSED = ("leader-epoch-refused",)
STOP_BEGUN, STOP_RECEIVED = ("stop-replica-begun",), ("stop-replica-received",)
ISR_CHANGES, ISR_WRITTEN = rows_with("isr-change"), rows_with("isr-written")
ISR_SHRINKS, ISR_EXPANDS = ("isr-shrinks",), ("isr-expands",)
"""A leader is about to change its ISR, which can fail; or has changed it."""
ISR_WRITTEN_BY_LEADER = ("isr-updated",)
"""A leader has done so, in the wording up to 2.7, with a line before each change."""
STATE_TAKEN = rows_with("partition-state")
"""A broker adopted a newer state in the same leader epoch, or refused an older one."""
FETCHERS_ADDED = ("fetchers-added",)
LOG_LOADED = rows_with("log-loaded")
"""Lines with which a broker begins to host a partition, with the high watermark on its disk."""
LOG_CREATED = rows_with("log-created")
LOG_OPENED = rows_with("log-opened")
LOG_TRUNCATED = ("log-truncated",)
"""A log is truncated to an offset."""
NOTHING_TRUNCATED = ("nothing-to-truncate",)
"""A log is not truncated because it already ends earlier."""
TO_HIGH_WATERMARK, TO_LEADER = ("truncates-to-high-watermark",), ("truncates-to-leader",)
"""A follower is about to truncate its log, to its own high watermark, or according to its leader's answer."""
BELOW_HIGH_WATERMARK = ("truncates-below-high-watermark",)
HIGH_WATERMARK_FELL = rows_with("high-watermark-fell")
FETCH_OFFSET_RESET = ("fetch-offset-reset",)
"""A follower's log does not match its leader's: its fetch offset is reset."""
FETCH_FAILED, FETCH_FENCED = rows_with("fetch-failed"), ("fetch-fenced",)
"""A follower gives a partition up; a leader refused its fetch for its leader epoch."""
SKIPPED = (*rows_with("step-skipped"), "leader-and-isr-while-offline", "become-fails")
"""A broker skips a step of a request for a partition."""
SAME_LEADER, ISR_WRITE_FAILED = ("same-leader",), ("isr-write-failed",)
STOP_REFUSED, TOPIC_ID_REFUSED = ("stop-replica-ignored",), ("topic-id-differs",)
NOT_ASSIGNED = ("not-assigned",)
"""A broker ignores a request about a partition because it is not a replica."""
OFFLINE = ("replicas-offline", "leader-and-isr-while-offline", "become-fails")
STOP_WHILE_OFFLINE = ("stop-replica-while-offline",)
"""A log directory fails; a broker ignores a request about a partition in one, or does not stop it."""
CONTROLLER_REFUSED = ("leader-and-isr-ignored", "update-metadata-ignored", "stop-replica-ignored")
"""A broker ignores a whole request because it knows a newer controller; the last can be about one partition."""
EXITS_FOR_TRUNCATION = ("truncation-not-allowed",)
APPEND_REFUSED = rows_with("append-refused")
"""A leader did not append what a producer sent."""
METADATA_TAKEN = FORGOTTEN = ("update-metadata-received",)
"""A broker forgets its cached state of a partition, where the line names one; otherwise it accepts a whole request."""
ANSWERED = (
    *(*LEADS, *FOLLOWS, *EPOCH_REFUSED, *LEADER_UNAVAILABLE, *SKIPPED, *TOPIC_ID_REFUSED),
    *(*STATE_TAKEN, "not-assigned", "topic-id-updated"),
)
"""Lines that show what a broker does with one of the partitions in a LeaderAndIsr request."""
HOSTS = rows_with("hosts")
"""Lines with which a broker begins to host a partition, in KRaft mode."""
REPLICA_DELETED = rows_with("replica-deleted")
"""Lines with which a broker deletes a replica's log."""
REPLICA_STOPPED = rows_with("replica-stopped")
"""Lines with which a broker has stopped a replica, deleted or not."""
TRUNCATED = rows_with("truncated")
"""Lines in which a log is truncated, or needs no truncation."""
READY = rows_with("ready")
"""The line with which a controller's start ends."""
EPOCH_READ = rows_with("epoch-read")
"""Lines in which a new controller prints its predecessor's epoch: it does not have that epoch itself."""
INACTIVE = rows_with("start", "end", "other-controller", "process-starts")
"""Lines of a broker's controller module that it also writes when another broker is controller."""
VIEWS = rows_with(*VIEW_ROLES)
"""Lines that print a partition's leader and ISR."""
CONTROLLER_LINES = rows_with(speaker="controller", family=STATE_CHANGE)
"""Lines that a controller writes to state-change.log."""
TOPIC_DELETED = rows_with("topic-deleted")
"""Lines of a controller that name a topic, but neither a partition nor an epoch."""
LIVE_BROKERS = rows_with("live-brokers")
"""Lines of a controller that name all brokers that it considers alive, but no epoch."""
PRODUCER_IDS_ACQUIRED = ("producer-ids-acquired",)
"""The line in which a controller in ZooKeeper mode gives out a block of producer ids."""
OF_NO_RULE = rows_with("happening")
"""Lines that only what happened rests on: no history, no observation and no rule reads them."""
OF_KRAFT = rows_with(mode="kraft")
"""Lines that Kafka prints only where a metadata quorum is: by its nodes, and by brokers that migrate to it."""
IN_KRAFT = tuple(row for row in OF_KRAFT if row not in OF_NO_RULE)
"""The subset of these that histories, observations and rules read."""
OF_QUORUM = rows_with(speaker="quorum")
"""Lines of the metadata quorum: states, votes, high watermarks, and where a process opens its log."""
ACTIVE = rows_with("quorum-active")
RENOUNCED = rows_with("quorum-renounced")
LEADER_PRINTED = rows_with("quorum-leader-told")
CLUSTER_PRINTED = rows_with("cluster-told")
"""Lines in which a KRaft controller becomes active, stops being active, learns who leads, or names its cluster."""
REGISTRATIONS_PRINTED = rows_with("registration-told")
"""Lines in which a KRaft controller prints a partition: committed, or proposed."""
STATES_TAKEN = rows_with("leads", "follows", "partition-state", "isr-written")
"""Lines in which a broker prints the state of a partition that it adopted."""
PRINTED_BY_LEADERS = rows_with("leads", "isr-written")
"""The subset of these that only the partition's leader writes."""
CHANGES_PRINTED, REASSIGNMENT_PRINTED = rows_with("changes-told"), rows_with("reassignment-told")
REASSIGNMENT_MOVES_LEADER = ("reassignment-moves-leader",)
BROKER_CHANGES_PRINTED, FENCINGS_PRINTED = rows_with("registration-change-told"), rows_with("fencing-told")
"""Lines in which a KRaft controller changes a broker's registration, or is about to fence a broker."""
DELETIONS_PRINTED = rows_with("deletions-told")
"""Lines with the number of partitions that a controller changes, the end of a reassignment, the number of deleted
replicas.
"""
STRAYS_PRINTED = ("stray-log-renamed",)
"""A broker treats a replica's log as one that it should not have."""
REGISTERED = rows_with("registered", mode="kraft")
BESIDE_METADATA = (
    *(*REGISTRATIONS_PRINTED, *REGISTERED, *rows_with("hosts", mode="kraft")),
    *(*CHANGES_PRINTED, *REASSIGNMENT_PRINTED, *DELETIONS_PRINTED, *BROKER_CHANGES_PRINTED, *FENCINGS_PRINTED),
)
"""Lines of KRaft mode that only a metadata log can decide."""
JUDGED_OF_KRAFT = (*OF_QUORUM, *ACTIVE, *RENOUNCED, *LEADER_PRINTED, *CLUSTER_PRINTED, *BESIDE_METADATA)
"""Lines that identify a log of KRaft mode, and that rules are about."""
ALIKE = (*LEADER_AND_ISR_SENT, *UPDATE_METADATA_SENT, "replica-loaded", *APPEND_REFUSED)
"""Lines that can be equal within a millisecond and yet report two things: requests to several brokers, whose recipients
the audit does not read; replicas of a partition, which the line does not name; producers' requests.
"""
MOVES_AND_VIEWS = rows_with(*MOVES, "move-refused", *VIEW_ROLES)

LINE = Enum("Line", tuple(line_rows()))
line = field("row", LINE)


def is_line(rows: tuple[str, ...]) -> Expr:
    """Return whether a line is one of these rows of the line table."""
    return either(*(line.eq(row) for row in rows))
