"""A broker changes the ISR of a partition that it follows.

Why it matters
    Only the leader knows which replicas are in sync. A follower that writes the ISR puts a set into ZooKeeper that
    nobody vouches for: the next leader may be elected from it, without records that were acknowledged.

How it is seen
    In all that one broker wrote, in one process: a line that changes an ISR, though the broker took last that it
    follows. What another broker thinks of who leads does not matter: a leader that was paused and goes on changes its
    ISR though another leads already, until it is told. Up to 2.5 a broker that begins to follow still leads until it
    says that it has ended.

Releases
    All. Up to 2.5 requests must be there, which are logged at TRACE.
"""

from __future__ import annotations

from ...fields import takes_shown
from ...observe.broker.taken import settled_role
from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import ids, where

RULE = Rule(
    code="KR603",
    name="isr-changed-by-follower",
    observation="isr_by_role",
    kind="replica",
    compares=True,
    applies=takes_shown,
    verdict=suspicious_unless(settled_role.eq("become-leader")),
    message=lambda row: f"{where(row)} changes the ISR to {ids(row['isr'])}, and is a follower",
    expected=lambda row: "a change of the ISR by its leader",
    got=lambda row: f"a change by a follower, in leader epoch {row['known_epoch']}",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="an ISR of the replicas that the leader has in sync",
    ),
)
