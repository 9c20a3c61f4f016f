"""A follower gave a partition up, and does not come back to it.

Why it matters
    A partition that failed is fetched by nobody before a new leader epoch comes, or the broker starts again. It is out
    of the ISR until then, though broker and leader are well.

How it is seen
    In all that one broker wrote, in one process: a line says that a partition is marked as failed. Mostly the leader
    had refused the old leader epoch just before, and the new one is on its way: a normal race. Without that, an error
    of the follower's own is the reason; if the broker does not take the partition again in that process, replication
    has stopped. A line may be missing, so it is suspicious.

What a log cannot show
    Whether a new leader epoch would still have come when the log ends.

Releases
    Since 2.3 (KIP-461). Before, the fetcher thread ended, with all its partitions (KAFKA-8346).
"""

from __future__ import annotations

from .....model.expr import either
from ...observe.broker.fetching import fenced, resumed
from ..remedy import COPIES, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR621",
    name="gives-up-fetching",
    observation="fetches_failed",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(either(fenced, resumed)),
    message=lambda row: f"{where(row)} is given up: it was not refused for its leader epoch, and is not taken again",
    expected=lambda row: "a new leader epoch, or a start of the broker",
    got=lambda row: "no line of the partition with which the broker takes it again",
    issues=("KIP-461", "KAFKA-8346"),
    releases=">=2.3",
    remedy=Remedy(
        workaround="Look for the error above the line. Restart the broker, or let another replica lead the partition.",
        verify=COPIES,
        look_for="a lag of 0 for every replica",
    ),
)
