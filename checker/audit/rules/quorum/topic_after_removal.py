"""A broker acts on a topic whose deletion it has applied.

Why it matters
    A broker that continues to lead a partition of a deleted topic accepts records that nobody will ever read, and keeps
    a log that the next topic of that name may find.

How it is seen
    A broker applies the records of the metadata log in order, deletions first. A line with which it adopts a state
    shows how far it has come: to the record with that partition epoch, at least. After one that is beyond the record
    that removed a topic, it adopts no state with that topic's id. (A leader learns of changes of its ISR before it
    applies them, so lines about these do not count.) The earlier line must be a second older: copies of lines, and
    lines out of order, prove nothing. Where other states also stand after a line by which they were over, the finding
    is suspicious: lines that were sorted by time after a clock was set back look like that.

Releases
    With KRaft, since 3.3: in earlier releases, lines print no partition epoch. Only where the metadata log is
    available.
"""

from __future__ import annotations

from ...sources.nodes.columns import deleted, unordered
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import illegal_unless

RULE = Rule(
    code="KR549",
    name="topic-used-after-its-deletion",
    compares=True,
    observation="topics_removed_beside_log",
    verdict=illegal_unless(~deleted, in_doubt=unordered),
    message=lambda row: (
        f"broker {row['node']} adopts a state of {row['topic']}-{row['partition']}, whose topic it has seen deleted"
    ),
    expected=lambda row: (
        f"nothing about the topic that was removed at offset {row['before_offset']}: by line"
        f" {row['applied_line']} of the file the broker had applied that"
    ),
    got=lambda row: "a state of that topic",
    issues=("KIP-631",),
    follows_from=("KR538",),
    remedy=PARTITION_STATE,
)
