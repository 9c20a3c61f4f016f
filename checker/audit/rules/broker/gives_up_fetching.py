"""A follower gave up a partition and does not return to it.

Why it matters
    Nobody fetches a failed partition until a new leader epoch comes, or the broker is restarted. Until then the replica
    is out of the ISR, though broker and leader are healthy.

How it is seen
    In the lines of one broker process: a line says that a partition is marked as failed. In most cases the leader has
    just refused the old leader epoch, and the new one is on its way: a normal race, if it arrives within a minute, or
    the process ends. Otherwise the reason is an error of the follower's own. If the broker does not adopt a new leader
    epoch in that process, and does not stop or delete its replica either (it was moved elsewhere), replication has
    stopped. A line may be missing, so the finding is suspicious.

What a log cannot show
    Whether a new leader epoch would still have come after the log's end; when a process ended that another followed.

What would make it certain
    No line does: the line that would show the opposite, of a new leader epoch, may be the missing one. The broker's
    metric FailedPartitionsCount (kafka.server, ReplicaFetcherManager) counts the partitions that are given up at a
    time: above 0, long after the line, it proves that replication has stopped.

Releases
    Since 2.3 (KIP-461). In earlier releases the fetcher thread ended, with all its partitions (KAFKA-8346).
"""

from __future__ import annotations

from .....model.expr import either
from ...observe.broker.fetching import fenced, goes_on, resumed
from ...table.protocol import Row
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where


def _why(row: Row) -> str:
    if not row["fenced"]:
        return "it was not refused for its leader epoch"
    return (
        f"it was refused for its leader epoch, the process ran on for {(row['lived_until'] - row['clock']) // 1000} s"
    )


RULE = Rule(
    code="KR621",
    name="gives-up-fetching",
    observation="fetches_failed",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(either(resumed, fenced & ~goes_on)),
    message=lambda row: f"{where(row)} is given up: {_why(row)}, and the broker does not return to it",
    expected=lambda row: "a new leader epoch, or a start of the broker",
    got=lambda row: "no line in which the broker leads or follows it again",
    issues=("KIP-461", "KAFKA-8346"),
    releases=">=2.3",
    remedy=until_copies_agree(
        "Look for the error above the line. Restart the broker, or let another replica lead the partition."
    ),
)
