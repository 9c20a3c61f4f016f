"""A broker fetches from a broker that no controller made leader in that leader epoch.

Why it matters
    A follower trusts what it fetches as the leader's. From another broker it copies records that were never committed,
    and truncates its own that were.

How it is seen
    In the lines of brokers and controllers: a line about an added fetcher names the broker to fetch from, and the
    leader epoch. Lines of a controller about that leader epoch name the same broker as the leader. Clocks are not
    compared. A line of the controller may be missing, so the finding is suspicious.

What would make it certain
    Proof that both lines are of one topic: when it is created again, leader epochs restart, and the lines of that may
    be missing. Fetchers print the topic id since 3.1, controllers in ZooKeeper mode never. Where the fetcher
    contradicts the request that the broker itself accepted, KR610 is illegal.

Releases
    Since 2.1, where the leader epoch is printed. KR610 compares the fetcher with the leader that the broker itself
    adopted, the only possible comparison up to 2.0.
"""

from __future__ import annotations

from ...fields import leader
from ...lines import FETCHERS_ADDED, is_line
from ...observe.broker.across import sent_leader
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._remedies import LEADERS_ANEW
from ._words import where

RULE = Rule(
    code="KR634",
    name="fetches-from-unelected",
    observation="leaders_taken",
    kind="replica",
    compares=True,
    applies=is_line(FETCHERS_ADDED),
    verdict=suspicious_unless(leader.eq(sent_leader)),
    message=lambda row: (
        f"{where(row)} fetches from broker {row['leader']} in leader epoch {row['leader_epoch']}, in which a"
        f" controller made {row['sent_leader']} leader"
    ),
    expected=lambda row: f"a fetcher to broker {row['sent_leader']}",
    got=lambda row: f"a fetcher to broker {row['leader']}",
    releases=">=2.1",
    follows_from=CONTROLLERS,
    remedy=until_copies_agree(LEADERS_ANEW),
)
