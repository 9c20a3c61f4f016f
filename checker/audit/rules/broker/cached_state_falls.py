"""A broker replaces a cached state of a partition with an older one.

Why it matters
    Clients ask any broker who leads a partition. A broker whose cache goes back sends them to a deposed leader, until
    the controller happens to send the partition again.

How it is seen
    In the lines of one broker process, between two deletions of the partition. From one line about a cached state to
    the next, the leader epoch does not fall, and within one leader epoch the version does not fall, whichever
    controller sent it. Lines of a deletion or a start may be missing, so the finding is suspicious. A cache that lags
    behind is legal; KR402 is about a controller that sends an older state.

What would make it certain
    Consecutive correlation ids: if both lines are of one controller epoch, and the ids are n and n + 1, the broker
    handled no request in between that deletes the partition, and since 2.2 (KIP-380) it was not restarted either.
    Otherwise one missing line explains the fall.

Releases
    Where metadata is logged: at TRACE. The version is printed since 1.0.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import leader_epoch, process_known
from ...observe.broker.received_epochs import version
from ...observe.compared import was
from ..remedy import MOVE_CONTROLLER, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR618",
    name="cached-state-falls",
    observation="metadata_cached",
    kind="replica",
    applies=process_known,
    verdict=suspicious_unless(
        either(was(leader_epoch) < leader_epoch, was(leader_epoch).eq(leader_epoch) & (was(version) <= version))
    ),
    message=lambda row: (
        f"{where(row)} caches leader epoch {row['leader_epoch']} and version {row['version']}, after leader epoch"
        f" {row['before_leader_epoch']} and version {row['before_version']}"
    ),
    expected=lambda row: f"leader epoch {row['before_leader_epoch']}, version {row['before_version']}, or above",
    got=lambda row: f"leader epoch {row['leader_epoch']}, version {row['version']}",
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=TOPIC, look_for="the leader that the controller printed last"),
)
