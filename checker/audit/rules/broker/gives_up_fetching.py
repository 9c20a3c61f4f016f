"""A follower gave a partition up, and does not come back to it.

Why it matters
    A partition that failed is fetched by nobody before a new leader epoch comes, or the broker starts again. It is out
    of the ISR until then, though broker and leader are well.

How it is seen
    In all that one broker wrote, in one process: a line says that a partition is marked as failed. Mostly the leader
    had refused the old leader epoch just before, and the new one is on its way: a normal race, if it comes within a
    minute, or the process ends. Without that, an error of the follower's own is the reason. If the broker does not take
    the partition again in that process, and does not stop or delete its replica either (it was moved elsewhere),
    replication has stopped. A line may be missing, so it is suspicious.

What a log cannot show
    Whether a new leader epoch would still have come when the log ends; when a process ended after which another starts.

Releases
    Since 2.3 (KIP-461). Before, the fetcher thread ended, with all its partitions (KAFKA-8346).
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
        f"it was refused for its leader epoch, the process goes on for {(row['lived_until'] - row['clock']) // 1000} s"
    )


RULE = Rule(
    code="KR621",
    name="gives-up-fetching",
    observation="fetches_failed",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(either(resumed, fenced & ~goes_on)),
    message=lambda row: f"{where(row)} is given up: {_why(row)}, and is not taken again",
    expected=lambda row: "a new leader epoch, or a start of the broker",
    got=lambda row: "no line of the partition with which the broker takes it again",
    issues=("KIP-461", "KAFKA-8346"),
    releases=">=2.3",
    remedy=until_copies_agree(
        "Look for the error above the line. Restart the broker, or let another replica lead the partition."
    ),
)
