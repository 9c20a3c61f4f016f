"""A broker follows a leader, and does not fetch from it.

Why it matters
    A follower that does not fetch falls out of the ISR: the partition has one copy less than it seems to have.

How it is seen
    In all that one broker wrote, in one process: between a line with which a partition begins to follow, and the next
    with which the broker takes the partition, a fetcher is added for it. It is said at the later line. Where a line
    tells that the step is left out it is not: the leader is not alive, the same leader is followed on (up to 2.0), the
    broker shuts down, a log directory has failed. A line may be missing, so it is suspicious.

What a log cannot show
    Since 2.6 a broker that shuts down adds no fetcher and does not say so: what it follows from then on is not judged,
    nor is what begins to follow last.

Releases
    ZooKeeper mode. Up to 2.5 requests must be there, which are logged at TRACE. server.log must be there.
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import of_zookeeper, server_log, takes_shown
from ...observe.broker.fetching import fetchers
from ...observe.compared import was
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR620",
    name="follows-without-fetching",
    observation="turns",
    kind="replica",
    applies=both(server_log, of_zookeeper, takes_shown),
    verdict=suspicious_unless(was(fetchers) < fetchers),
    message=lambda row: f"{where(row)} followed a leader up to here, and added no fetcher for it",
    expected=lambda row: "a line that adds a fetcher, or says why not",
    got=lambda row: "no such line before the broker takes the partition anew",
    remedy=until_copies_agree("Restart the broker: it fetches anew what it follows."),
)
