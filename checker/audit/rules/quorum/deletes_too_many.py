"""A broker deletes more replicas than the metadata log takes from it.

Why it matters
    A replica that is deleted though nobody asked for it is a copy less of committed records, if not the last one.

How it is seen
    A broker prints how many replicas it deletes: their topics were removed, or a reassignment left the broker out. The
    log has these records. Illegal is a line with a number that is larger than all that the log took from the broker up
    to ten seconds after it; suspicious, if only the sum of this and earlier lines is, or if there are lines of another
    cluster, or if times go back in the file: then the line's may be wrong. Lines that say the same at the same time
    count once: they may be copies. It counts only where the log is here from its first record on, and goes on for ten
    seconds beyond the line's time, or where the broker shows a record of it in a later line of the file.

Releases
    All with KRaft, since 3.0; only where the metadata log is there, and the broker prints partition epochs (since 3.3).
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
        f"broker {row['node']} deletes {row['count']} replicas, {row['so_far']} with those of earlier lines"
    ),
    expected=lambda row: f"at most {row['most']}: the number that the metadata log took from it until then",
    got=lambda row: f"{row['so_far']}",
    issues=("KAFKA-14616", "KAFKA-16234"),
    remedy=PARTITION_STATE,
)
