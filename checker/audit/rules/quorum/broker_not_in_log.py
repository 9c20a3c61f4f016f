"""A broker disagrees with the metadata log about a partition.

Why it matters
    A broker that leads or follows by a state that was never committed writes where nobody reads, or truncates its log
    to match a leader that does not exist. Acknowledged records are lost that way.

How it is seen
    Lines print a partition epoch when a partition begins to lead or to follow, keeps its role with a newer state, or
    has a new ISR: the log has the same leader, leader epoch and ISR at that partition epoch. A line that only the
    leader writes names the broker itself as leader. A broker may skip partition epochs and may lag. Lines without a
    topic id are compared with all topics that had the name; they are ignored where they may mean one that the log does
    not show. A partition epoch that the log does not have is judged only if the log continues for ten seconds beyond
    the line's time, or if a later line of the file shows that the broker applied a record of the log: it applies
    records in order. Where the file has lines of another cluster (of ZooKeeper mode, though no migration is in the log;
    with topic ids that the log does not have; of a wording that returns after another release's), a line without a
    topic id may be one of them, and is suspicious.

Releases
    Since 3.3 (in earlier releases, lines print no partition epoch); "ISR updated" since 3.0. Only where the metadata
    log is available. Where it contains a migration from ZooKeeper, only lines that name a topic id: another topic may
    have had the name.
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
