"""A broker takes a replica's log for a stray, though the metadata log says that the replica is its own.

Why it matters
    The log is renamed and no longer served, and will be deleted: a copy less of committed records, if not the last one.

How it is seen
    A broker that starts prints the logs that it takes for strays. The metadata log is here from its first record on;
    the topic's name had one id only and was not removed; and the broker has been among the partition's replicas since
    a record that was written more than ten seconds before the line: that of the partition's creation, or of the
    reassignment that brought it there. It counts only if the log goes on for a second beyond the line's time: a stray
    is told as the broker starts, by records from before. It is suspicious: the line does not print the topic id; and a
    log that has lost its partition.metadata file, before anything was written to it, is taken for a stray, too.

Releases
    Brokers of 3.6 and later print such lines; only where the metadata log is there.
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.nodes.columns import hosted
from ..kraft._remedies import PARTITION_STATE
from ..kraft._words import where
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS

RULE = Rule(
    code="KR550",
    name="replica-taken-for-stray",
    observation="strays_printed_beside_log",
    kind="replica",
    compares=True,
    verdict=ite(hosted, SUSPICIOUS, HELD),
    message=lambda row: f"broker {row['node']} takes its log of {where(row)} for a stray",
    expected=lambda row: "strays of deleted topics, and of partitions that were moved away",
    got=lambda row: f"{where(row)}, of which broker {row['node']} is a replica since offset {row['before_offset']}",
    issues=("KAFKA-14616", "KAFKA-16234"),
    remedy=PARTITION_STATE,
)
