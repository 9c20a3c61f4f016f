"""A broker fetches a partition after a request to stop it, with no later request to follow it.

Why it matters
    A replica is stopped before it is removed from the partition, or deleted. If it goes on fetching, it stays where it
    should not be, and a leader may count it as in sync.

How it is seen
    In the lines of one broker process: after the line that a replica is stopped, no fetcher is added for it before the
    broker accepts another request.

What would make it certain
    The leader epoch of the fetcher, printed since 2.1. If it is below the epoch that the broker had when it stopped the
    replica, no later request explains it, and KR610 is illegal. If it is the same, a start or a deletion explains it,
    of which a single line may be missing.

Releases
    Up to 2.5, in which each stopped replica is logged, at TRACE.
"""

from __future__ import annotations

from ...fields import takes_shown
from ...observe.broker.taken import stopped
from ..remedy import TOPIC, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR611",
    name="fetches-after-stop",
    observation="fetches",
    kind="replica",
    compares=True,
    applies=takes_shown,
    verdict=suspicious_unless(~stopped),
    message=lambda row: f"{where(row)} is fetched from broker {row['leader']}, though it was stopped",
    expected=lambda row: "no fetcher before the next request",
    got=lambda row: f"a fetcher to broker {row['leader']}",
    remedy=Remedy(
        workaround="Restart the broker: it then fetches only what the controller instructs it to.",
        verify=TOPIC,
        look_for="replicas without the broker, if it was to be removed",
    ),
)
