"""A broker deletes more replicas than the metadata log removes from it.

Why it matters
    A replica that is deleted without instruction is one copy of committed records fewer, if not the last one.

How it is seen
    A broker prints how many replicas it deletes: their topics were removed, or a reassignment dropped the broker. The
    log has these records. A line is illegal if its number exceeds everything that the log removed from the broker up to
    ten seconds after it. It is suspicious if only the sum of this and earlier lines does, or if there are lines of
    another cluster, or if times go back in the file: then the line's time may be wrong. Lines that say the same at the
    same time count once: they may be copies. A line is judged only where the log is complete from its first record, and
    continues for ten seconds beyond the line's time, or where a later line of the file shows that the broker applied a
    record of it.

Releases
    All with KRaft, since 3.0; only where the metadata log is available, and the broker prints partition epochs (since
    3.3).
"""

from __future__ import annotations

from .....model.expr import either, ite
from ...sources.nodes.columns import count, doubtful, most, so_far
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS

RULE = Rule(
    code="KR540",
    name="deletes-more-than-metadata-log-says",
    observation="deletions_printed_beside_log",
    kind="broker",
    verdict=ite(so_far <= most, HELD, ite(either(count <= most, doubtful), SUSPICIOUS, ILLEGAL)),
    message=lambda row: (
        f"broker {row['node']} deletes {row['count']} replicas, {row['so_far']} including earlier lines"
    ),
    expected=lambda row: f"at most {row['most']}: the number that the metadata log had removed from it by then",
    got=lambda row: f"{row['so_far']}",
    issues=("KAFKA-14616", "KAFKA-16234"),
    remedy=PARTITION_STATE,
)
