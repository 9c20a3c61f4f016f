"""A broker changes the ISR of a partition that it follows.

Why it matters
    Only the leader knows which replicas are in sync. A follower that writes the ISR puts a set into ZooKeeper that
    nobody vouches for: the next leader may be elected from it, without records that were acknowledged.

How it is seen
    In the lines of one broker process: a line changes an ISR although the broker's last role in the partition is
    follower. Other brokers' views of who leads do not matter: a leader that was paused and resumes changes its ISR
    although another already leads, until it learns of that. Up to 2.5 a broker that begins to follow still leads until
    it says that it has finished.

What would make it certain
    The state that was written, from a controller's line or ZooKeeper's znode, in the version that the line prints
    (since 2.4). If this broker is its leader, in a leader epoch that was given to another, the change was made by a
    follower. The broker's own lines do not prove it: one missing line, with which it began to lead, explains them.

Releases
    All. Up to 2.5 the log must contain requests, which are logged at TRACE.
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
    message=lambda row: f"{where(row)} changes the ISR to {ids(row['isr'])}, but is a follower",
    expected=lambda row: "a change of the ISR by its leader",
    got=lambda row: f"a change by a follower, in leader epoch {row['known_epoch']}",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="an ISR of the replicas that are in sync with the leader",
    ),
)
