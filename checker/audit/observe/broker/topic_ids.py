"""Names that are of two topics at once: a sign that the lines of a name belong to several, or that some are missing.

A broker hosts one topic of a name: a request with another topic id is refused with INCONSISTENT_TOPIC_ID (KIP-516,
Partition.maybeCreate and ReplicaManager.becomeLeaderOrFollower) until the replica is deleted, of which server.log has a
line. Where names were made alike (topics that are nobody's business), two topics show under one.
"""

from __future__ import annotations

from .....model.expr import const, field
from .....model.sorts import Int
from ...fields import process_known, server_log, topic_id
from ...lines import FETCHERS_ADDED
from ...table.protocol import Column, Row, Table
from .hosted import KEPT
from .taken import STARTS

NO_ID = "None"
"""What a line prints of a topic that was created before there were ids."""


def names_shared(hosted: Table) -> list[Row]:
    """By cluster, in `n` how many replicas begin as those of another topic, though the one before was not deleted.

    Args:
        hosted: what brokers tell of their replicas (hosted.py).
    """
    shown = hosted.of_lines((*STARTS, *FETCHERS_ADDED)).present("topic_id")
    with_ids = shown.where(process_known & server_log & ~topic_id.eq(NO_ID))
    topics = with_ids.grouped(("cluster", *KEPT, "topic_id"), n=Column("count"))
    ids = topics.grouped(("cluster", *KEPT), ids=Column("count"))
    several = ids.where(const(1, Int()) < field("ids", Int()))
    return several.grouped(("cluster",), n=Column("count")).rows()
