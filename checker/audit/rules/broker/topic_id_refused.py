"""A broker refuses a request about a partition because its log has a different topic id.

Why it matters
    The broker neither leads nor follows the partition: it has one copy fewer, until the log is deleted or the id is
    corrected.

How it is seen
    On the line itself with which the broker refuses. The topic was deleted and created again while the broker was down,
    and its old log is still there; or tools from before 2.8, which know no topic ids, rewrote the topic's znode through
    ZooKeeper, and the controller gave it a new id (KAFKA-14190).

What would make it certain
    Nothing has to: the line is Kafka's own, and the request was certainly refused, which is never illegal. The ids in
    partition.metadata of the log and in the topic's znode (/brokers/topics/TOPIC) show which of the two is the old one.

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
    message=lambda row: f"{where(row)} has a log with a different topic id: the broker refuses the request",
    expected=lambda row: f"topic id {row['topic_id']}",
    got=lambda row: "a request with another topic id",
    bug="KAFKA-14190",
    issues=("KAFKA-14190", "KIP-516"),
    releases=">=2.8",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} Use no tools from before 2.8 with --zookeeper. Put the old id back into the topic's"
        " znode, or delete the log of the old topic.",
        verify=TOPIC,
        look_for="the topic id of the log's partition.metadata",
    ),
)
