"""A broker treats a replica's log as stray, though the metadata log assigns that replica to it.

Why it matters
    The log is renamed and no longer served, and will be deleted: one copy of committed records fewer, if not the last
    one.

How it is seen
    A broker that starts prints the logs that it considers stray. The metadata log is complete from its first record;
    the topic's name had only one id and was not removed; and the broker has been among the partition's replicas since a
    record that was written more than ten seconds before the line: that of the partition's creation, or of the
    reassignment that brought it there. The line is judged only if the log continues for a second beyond its time:
    strays are printed as the broker starts, according to earlier records. The finding is suspicious: the line does not
    print the topic id; and a log that has lost its partition.metadata file before anything was written to it is also
    treated as stray.

What would make it certain
    The reason, which the broker prints before it renames the log: "Found stray log dir ...", with the assignment or the
    topic id that it looked for, or, since 3.7, "The topicId does not exist in ...", if partition.metadata is lost. If
    the metadata log contradicts the reason, the broker is wrong.

Releases
    Brokers of 3.6 and later print such lines; only where the metadata log is available.
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
    message=lambda row: f"broker {row['node']} treats its log of {where(row)} as stray",
    expected=lambda row: "stray logs only of deleted topics, and of partitions that were moved away",
    got=lambda row: f"{where(row)}, of which broker {row['node']} is a replica since offset {row['before_offset']}",
    issues=("KAFKA-14616", "KAFKA-16234"),
    remedy=PARTITION_STATE,
)
