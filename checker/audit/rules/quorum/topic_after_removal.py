"""A broker acts on a topic that it has seen deleted.

Why it matters
    A broker that goes on to lead a partition of a deleted topic takes records that nobody will ever read, and keeps a
    log that the next topic of that name may find.

How it is seen
    A broker applies the records of the metadata log in their order, deletions first. A line with which it takes a state
    shows how far it has come: to the record with that partition epoch, at least. After one that is beyond the record
    that removed a topic, it takes no state with that topic's id. (A leader hears of changes of its ISR before it
    applies them, so lines of these do not count.) The line before must be a second older: copies of lines, and lines
    out of order, prove nothing. Where other states, too, stand after a line by which they were over, it is suspicious:
    lines that were sorted by time after a clock was put back look like that.

Releases
    With KRaft, since 3.3: before, lines print no partition epoch. Only where the metadata log is there.
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
        f"broker {row['node']} takes a state of {row['topic']}-{row['partition']}, whose topic it has seen deleted"
    ),
    expected=lambda row: (
        f"nothing of the topic that was removed at offset {row['before_offset']}: by line {row['applied_line']} of the"
        " file the broker had come further"
    ),
    got=lambda row: "a state of it",
    issues=("KIP-631",),
    follows_from=("KR538",),
    remedy=PARTITION_STATE,
)
