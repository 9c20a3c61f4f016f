"""Names that are of two topics at once: a sign that the lines of a name belong to several, or that some are missing.

A broker hosts one topic of a name: a request with another topic id is refused with INCONSISTENT_TOPIC_ID (KIP-516,
ReplicaManager.becomeLeaderOrFollower, 2.8+) until the replica is deleted, of which server.log has a line. A topic that
was deleted never comes back: the next one of its name has another id. Where names were made alike (topics that are
nobody's business), two topics show under one.

Without ids too, since a request names a partition once (it is a map by partition, LeaderAndIsrRequest and
UpdateMetadataRequest): in one millisecond a broker takes two states of one partition from one request only if they are
of two topics.
"""

from __future__ import annotations

from .....model.expr import const, field
from .....model.sorts import Int
from ...fields import process_known, server_log, topic_id
from ...lines import CACHED, FETCHERS_ADDED, HOSTS, LEADER_AND_ISR_RECEIVED
from ...table.protocol import Column, Row, Table
from ..order import NEAR
from .hosted import KEPT, MERGED
from .taken import STARTS

_none, _one = const(0, Int()), const(1, Int())
_REQUEST = ("cluster", "journal", *NEAR, "row", "controller", "controller_epoch", "correlation_id", "ts")
_STATE = ("leader", "leader_epoch", "partition_epoch")
NO_ID = "None"
"""What a line prints of a topic that was created before there were ids."""


def names_shared(hosted: Table) -> list[Row]:
    """By cluster, in `n` signs that a name is of two topics: how many replicas begin as those of another topic, though
    the one before was not deleted; and how often the broker comes back to a topic after another one of that name.

    Args:
        hosted: what brokers tell of their replicas (hosted.py).
    """
    shown = hosted.of_lines((*STARTS, *FETCHERS_ADDED, *HOSTS)).present("topic_id").where(~topic_id.eq(NO_ID))
    topics = shown.where(process_known & server_log).grouped(("cluster", *KEPT, "topic_id"), n=Column("count"))
    ids = topics.grouped(("cluster", *KEPT), ids=Column("count"))
    several = ids.where(_one < field("ids", Int())).select("cluster")
    of_replica = ("cluster", "journal", *NEAR)
    after = shown.along(of_replica, MERGED, id_before=Column("last", "topic_id"))
    known = after.along((*of_replica, "topic_id"), MERGED, seen=Column("so_far"))
    back = known.where(~topic_id.eq(field("id_before", topic_id.sort)) & (_none < field("seen", Int())))
    return several.plus(back.select("cluster")).grouped(("cluster",), n=Column("count")).rows()


def taken_twice(lines: Table) -> list[Row]:
    """By cluster, in `n` how many requests a broker took two states of one partition from.

    Args:
        lines: what brokers tell of their replicas (hosted.py), or of what they cache (metadata.py).
    """
    taken = lines.of_lines((*LEADER_AND_ISR_RECEIVED, *CACHED)).present(*_REQUEST, *_STATE)
    states = taken.grouped((*_REQUEST, *_STATE), n=Column("count"))
    requests = states.grouped(_REQUEST, states=Column("count"))
    several = requests.where(_one < field("states", Int()))
    return several.grouped(("cluster",), n=Column("count")).rows()
