"""A controller disagrees with the metadata log about a partition.

Why it matters
    Every controller applies the same committed records. A controller with a different state elects leaders and answers
    brokers by a state that no other node has.

How it is seen
    Lines about a new partition, or about a change that is printed as UNCLEAN (at DEBUG any change), name topic id,
    partition and partition epoch: the log has the same leader, leader epoch and ISR at that partition epoch. From 4.3
    on so do lines on a change of an assignment (at DEBUG on any change), on a refused AlterPartition request and on an
    imminent unclean election; the last two print no leader and no topic id. While a snapshot is loaded these are copies
    of the state, with any epoch. An active controller prints its proposals: those that it may have taken back
    afterwards ("Renouncing", "reverting") are not compared, unless records that it wrote a second later in the same
    epoch are committed. A partition epoch that the log does not have is judged only if the log continues for ten
    seconds beyond the line's time.

Releases
    All with KRaft, since 3.0; only where the metadata log is available.
"""

from __future__ import annotations

from ...table.protocol import Row
from ..kraft._remedies import COPY_OF_METADATA
from ..rule import Rule
from ._words import contradicts, in_the_log, known, printed


def _message(row: Row) -> str:
    where = f"{row['topic']}-{row['partition']}"
    return f"controller {row['node']} has {where} at partition epoch {row['partition_epoch']} with {printed(row)}"


RULE = Rule(
    code="KR537",
    name="controller-not-in-metadata-log",
    compares=True,
    observation="controller_states_beside_log",
    verdict=in_the_log,
    message=_message,
    expected=known,
    got=printed,
    contradicts=contradicts,
    issues=("KIP-631",),
    remedy=COPY_OF_METADATA,
)
