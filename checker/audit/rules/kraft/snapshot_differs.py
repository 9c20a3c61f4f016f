"""A snapshot of the metadata log differs from the state that the log's records produce.

Why it matters
    A node that starts from a snapshot, or fetches one, has a different state of the cluster than the nodes that read
    the log: brokers lead partitions that others believe to be elsewhere, epochs jump.

How it is seen
    The log is applied up to the snapshot's end: a PartitionChange replaces the fields that it has, raises the partition
    epoch by 1, and the leader epoch by 1 if it names a leader. Topics, partitions, brokers and features of the snapshot
    are compared with the result. The epoch in its name is compared with that of the last record before its end, which
    is the last of its batch: a node that loads another snapshot cannot continue from it (KAFKA-17713). A difference of
    the epoch is suspicious, because no CRC covers epochs and offsets.

Releases
    All with KRaft. Known: KAFKA-13968 (up to 3.2), KAFKA-14618 (fixed in 3.4.0), KAFKA-14894 and KAFKA-14857 (3.4.1),
    KAFKA-16583 (3.7.1), KAFKA-17713 (4.0.0).
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.metadata.columns import differs, proved
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import SUSPICIOUS
from ._remedies import COPY_OF_METADATA
from ._words import broken_unless, where


def _what(row: Row) -> str:
    if row["kind"] == "broker":
        return f"broker {row['broker']}"
    return {"feature": "a feature", "end": "its end"}.get(row["kind"]) or where(row)


RULE = Rule(
    code="KR504",
    name="snapshot-differs-from-log",
    compares=True,
    observation="metadata_snapshots",
    verdict=ite(differs.is_empty() | proved, broken_unless(differs.is_empty()), SUSPICIOUS),
    message=lambda row: f"a snapshot differs from the log about {_what(row)}",
    expected=lambda row: "the state that the records up to the snapshot's end produce",
    got=lambda row: "; ".join(row["differs"]),
    contradicts=lambda row: True,
    issues=("KAFKA-13968", "KAFKA-14618", "KAFKA-14894", "KAFKA-14857", "KAFKA-16583", "KAFKA-17713"),
    remedy=COPY_OF_METADATA,
)
