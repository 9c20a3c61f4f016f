"""A request carries an older leader epoch than an earlier LeaderAndIsr request.

Why it matters
    A broker ignores such a LeaderAndIsr request (its epoch is stale), so the replica never learns what the controller
    decided. In UpdateMetadata the broker believes it: clients learn an outdated epoch, and the leader fences them.

Releases
    Up to 2.3 a reassignment raises the epoch in ZooKeeper but not in the controller's cache (KAFKA-9212): later
    requests carry the old epoch until something refreshes the cache. Fixed in 2.4.0. The znode itself stays right and
    brokers guard themselves, so in those releases the finding is suspicious, not illegal. In UpdateMetadata, which
    promises no order, it is always suspicious.
"""

from __future__ import annotations

from .....model.views import LEADER_EPOCH_NEVER_FALLS
from ...fields import gap, releases
from ...observe.controller.requests import metadata
from ..conditions import behaviour_releases, step
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR402",
    name="leader-epoch-in-requests-falls",
    observation="requests",
    verdict=illegal_unless(
        step(LEADER_EPOCH_NEVER_FALLS.condition),
        in_doubt=gap | metadata | releases.intersects(behaviour_releases("KAFKA-9212")),
    ),
    message=lambda row: (
        f"a request about {where(row)} carries leader epoch {row['leader_epoch']} after"
        f" {row['before_leader_epoch']} had been sent"
    ),
    expected=lambda row: f"at least {row['before_leader_epoch']}",
    got=lambda row: f"{row['leader_epoch']}",
    issues=("KAFKA-9212",),
    bug="KAFKA-9212",
    follows_from=("KR205",),
    remedy=Remedy(
        workaround=f"Let the reassignment finish. If followers or clients stay on the old epoch: {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="the leader_epoch that the latest requests carry",
    ),
)
