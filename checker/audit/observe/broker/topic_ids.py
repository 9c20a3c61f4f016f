"""Names that belong to two topics at once: a sign that lines under one name belong to several, or that some are
missing.

A broker hosts one topic of a name: a request with another topic id is refused with INCONSISTENT_TOPIC_ID (KIP-516,
ReplicaManager.becomeLeaderOrFollower, 2.8+) until the replica is deleted, which prints a line in server.log. A deleted
topic never comes back: the next one of its name has another id. Where names were anonymised to the same word, two
topics show under one.

The same holds without ids, because a request names a partition once (it is a map by partition, LeaderAndIsrRequest and
UpdateMetadataRequest): in one millisecond a broker adopts two states of one partition from one request only if they
belong to two topics.
"""

from __future__ import annotations

from .....model.expr import field
from .....model.sorts import Int
from ...fields import process_known, server_log, topic_id
from ...lines import CACHED, FETCHERS_ADDED, HOSTS, LEADER_AND_ISR_RECEIVED
from ...table.protocol import Column, Row, Table
from ..order import NEAR
from .hosted import KEPT, MERGED
from .taken import STARTS

_REQUEST = ("cluster", "journal", *NEAR, "row", "controller", "controller_epoch", "correlation_id", "ts")
_STATE = ("leader", "leader_epoch", "partition_epoch")
NO_ID = "None"
"""The printed id of a topic that was created before there were ids."""


def names_shared(hosted: Table) -> list[Row]:
    """Return by cluster, in `n`, the signs that a name belongs to two topics.

    A sign is a replica that begins as another topic's although the previous one was not deleted, or a broker that
    returns to a topic after another one of that name.

    Args:
        hosted: brokers' lines about their replicas (hosted.py).
    """
    shown = hosted.of_lines((*STARTS, *FETCHERS_ADDED, *HOSTS)).present("topic_id").where(~topic_id.eq(NO_ID))
    topics = shown.where(process_known & server_log).grouped(("cluster", *KEPT, "topic_id"), n=Column("count"))
    ids = topics.grouped(("cluster", *KEPT), ids=Column("count"))
    several = ids.where(field("ids", Int()) > 1).select("cluster")
    of_replica = ("cluster", "journal", *NEAR)
    after = shown.along(of_replica, MERGED, id_before=Column("last", "topic_id"))
    known = after.along((*of_replica, "topic_id"), MERGED, seen=Column("so_far"))
    back = known.where(~topic_id.eq(field("id_before", topic_id.sort)) & (field("seen", Int()) > 0))
    return several.plus(back.select("cluster")).grouped(("cluster",), n=Column("count")).rows()


def taken_twice(lines: Table) -> list[Row]:
    """Return by cluster, in `n`, the number of requests from which a broker adopted two states of one partition.

    Args:
        lines: brokers' lines about their replicas (hosted.py), or about their caches (metadata.py).
    """
    taken = lines.of_lines((*LEADER_AND_ISR_RECEIVED, *CACHED)).present(*_REQUEST, *_STATE)
    states = taken.grouped((*_REQUEST, *_STATE), n=Column("count"))
    requests = states.grouped(_REQUEST, states=Column("count"))
    several = requests.where(field("states", Int()) > 1)
    return several.grouped(("cluster",), n=Column("count")).rows()
