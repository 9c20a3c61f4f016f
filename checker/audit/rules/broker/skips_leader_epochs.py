"""A follower keeps the same leader across skipped leader epochs, without truncating its log.

Why it matters
    If the leader epoch rises by more than one, another broker may have led in between, and the leader's log may have
    been truncated. A follower that continues where it was keeps records that its leader does not have: the copies
    differ.

How it is seen
    Where a broker begins to follow with a request, it says that it skips the transition because the leader is the same.
    The broker's previous leader epoch is below that of the request by two or more. It had that epoch from an earlier
    request; if the line of one in between is missing, nothing was skipped, so the finding is suspicious.

What would make it certain
    Consecutive correlation ids: if the request that gave the broker its previous leader epoch is number n of a
    controller epoch, and this one is n + 1, none was in between. Likewise, at TRACE, all lines of all controllers, if
    none of them sends the broker a leader epoch in between.

Releases
    Up to 2.0.0 (KAFKA-7164), where requests are logged: at TRACE. Later releases restart the fetcher.
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import kind, leader_epoch, process_known
from ...observe.broker.taken import had_epoch, received, same_request
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR622",
    name="skips-leader-epochs",
    observation="same_leader_kept",
    kind="replica",
    compares=True,
    applies=both(kind.eq("become-follower"), same_request, process_known),
    verdict=suspicious_unless(received(leader_epoch) <= had_epoch + 1),
    message=lambda row: (
        f"{where(row)} keeps the same leader in leader epoch {row['received_leader_epoch']}, after"
        f" {row['had_epoch']}: its log is not cut"
    ),
    expected=lambda row: f"a restarted fetcher, or leader epoch {row['had_epoch'] + 1}",
    got=lambda row: f"leader epoch {row['received_leader_epoch']}",
    bug="KAFKA-7164",
    issues=("KAFKA-7164",),
    remedy=until_copies_agree(f"{KEEP_LOGS} Restart the follower: it cuts its log to the leader's."),
)
