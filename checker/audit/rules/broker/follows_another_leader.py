"""A broker follows a leader that no controller made leader in that leader epoch.

Why it matters
    A follower copies its leader's log, and truncates its own to match. If it follows a broker that does not lead,
    records committed with the leader are not copied, and can be truncated.

How it is seen
    In the lines of brokers and controllers: the line with which a partition begins to follow names the leader epoch and
    the leader. Lines of a controller about that leader epoch name the same leader. Clocks are not compared. A line of
    the controller may be missing, so the finding is suspicious.

What would make it certain
    Proof that both lines are of one topic: when it is created again, leader epochs restart, and the lines of that may
    be missing. Neither followers nor controllers in ZooKeeper mode print the topic id on these lines. If the broker
    that is followed prints that it leads in that leader epoch, KR631 compares it with the elected leader.

Releases
    Since 3.3, where the line names the leader. In earlier releases, KR610 checks which broker it fetches from.
"""

from __future__ import annotations

from ...fields import leader
from ...lines import FOLLOWS, is_line
from ...observe.broker.across import sent_leader
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._remedies import LEADERS_ANEW
from ._words import where

RULE = Rule(
    code="KR633",
    name="follows-another-leader",
    observation="leaders_taken",
    kind="replica",
    compares=True,
    applies=is_line(FOLLOWS),
    verdict=suspicious_unless(leader.eq(sent_leader)),
    message=lambda row: (
        f"{where(row)} follows {row['leader']} in leader epoch {row['leader_epoch']}, in which a controller made"
        f" {row['sent_leader']} leader"
    ),
    expected=lambda row: f"leader {row['sent_leader']}",
    got=lambda row: f"leader {row['leader']}",
    releases=">=3.3",
    follows_from=CONTROLLERS,
    remedy=until_copies_agree(LEADERS_ANEW),
)
