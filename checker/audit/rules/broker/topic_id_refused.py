"""A broker takes no request about a partition, since its log is of a topic with another id.

Why it matters
    The broker neither leads nor follows the partition: it has one copy less, until the log is deleted or the id is put
    right.

How it is seen
    On the line itself, with which the broker refuses. The topic was deleted and created again while the broker was
    down, and its old log is still there; or tools of before 2.8, which know no topic ids, rewrote the topic's znode
    through ZooKeeper, and the controller gave it a new id (KAFKA-14190).

Releases
    Since 2.8, where topics have ids (KIP-516).
"""

from __future__ import annotations

from ..remedy import KEEP_LOGS, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import REFUSED
from ._words import where

RULE = Rule(
    code="KR625",
    name="topic-id-refused",
    observation="topic_ids_refused",
    kind="replica",
    verdict=REFUSED,
    message=lambda row: f"{where(row)} has a log of another topic id than the request: the broker refuses it",
    expected=lambda row: f"topic id {row['topic_id']}",
    got=lambda row: "a request with another topic id",
    bug="KAFKA-14190",
    issues=("KAFKA-14190", "KIP-516"),
    releases=">=2.8",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} Use no tools of before 2.8 with --zookeeper. Put the old id back into the topic's"
        " znode, or delete the log of the old topic.",
        verify=TOPIC,
        look_for="the topic id of the log's partition.metadata",
    ),
)
