"""A broker has a partition otherwise than the metadata log has it.

Why it matters
    A broker that leads, or follows, by a state that was never committed writes where nobody reads, or cuts its log by a
    leader that there is not. Acknowledged records are lost that way.

How it is seen
    Lines in which a partition begins to lead or to follow, keeps on with a newer state, or has a new ISR, print its
    partition epoch: the log has at that partition epoch the same leader, leader epoch and ISR. A line that only the
    leader writes names the broker itself as leader. A broker may skip partition epochs and may lag. Lines without a
    topic id are compared with all topics that had the name; where one of them may be meant that the log does not tell
    of, they are left aside. A partition epoch that the log does not have counts only if the log goes on for ten
    seconds beyond the line's time, or if the broker shows a record of the log in a later line of the file: it applies
    records in their order. Where lines of another cluster are there (of ZooKeeper mode, though no migration is in the
    log; with topic ids that it does not have; of a wording that comes again after another release's), a line without a
    topic id may be of it, and is suspicious.

Releases
    Since 3.3 (before, lines print no partition epoch); "ISR updated" since 3.0. Only where the metadata log is there.
    Where a migration from ZooKeeper is in it, only lines that name a topic id: another topic may have had the name.
"""

from __future__ import annotations

from ...table.protocol import Row
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ._words import contradicts, in_the_log, known, printed


def _message(row: Row) -> str:
    where = f"{row['topic']}-{row['partition']}"
    return f"broker {row['node']} has {where} at partition epoch {row['partition_epoch']} with {printed(row)}"


RULE = Rule(
    code="KR538",
    name="broker-not-in-metadata-log",
    compares=True,
    observation="broker_states_beside_log",
    verdict=in_the_log,
    message=_message,
    expected=known,
    got=printed,
    contradicts=contradicts,
    issues=("KIP-631", "KAFKA-13790", "KAFKA-14154"),
    remedy=PARTITION_STATE,
)
