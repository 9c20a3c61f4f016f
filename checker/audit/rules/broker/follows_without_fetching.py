"""A broker follows a leader but does not fetch from it.

Why it matters
    A follower that does not fetch falls out of the ISR: the partition has one copy fewer than it seems to have.

How it is seen
    In the lines of one broker process: between a line with which a partition begins to follow, and the broker's next
    line that begins a role in the partition, a fetcher is added. The finding is at the later line. There is none where
    a line explains the missing step: the leader is not alive, the leader stays the same (up to 2.0), the broker shuts
    down, a log directory has failed. A line may be missing, so the finding is suspicious.

What a log cannot show
    Since 2.6 a broker that shuts down adds no fetcher and does not say so: partitions that it follows from then on are
    not judged, nor is the last time that one begins to follow.

What would make it certain
    The leader's lines. Since 2.2, the line that shrinks the ISR prints the end offset -1 for a replica that has not
    fetched at all since the leader began. If it is of the same leader epoch, the follower did not fetch. The follower's
    lines alone do not prove it: one missing line, that of the fetcher, explains them.

Releases
    ZooKeeper mode. Up to 2.5 the log must contain requests, which are logged at TRACE. It must include server.log.
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
    message=lambda row: f"{where(row)} followed a leader up to this line without adding a fetcher",
    expected=lambda row: "a line that adds a fetcher, or says why not",
    got=lambda row: "no such line before the broker's next role in the partition",
    remedy=until_copies_agree("Restart the broker: it then fetches the partitions that it follows."),
)
