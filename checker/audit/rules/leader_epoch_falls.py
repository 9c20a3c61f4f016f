"""The leader epoch of a partition falls.

Why it matters
    Followers cut their logs by leader epochs and reject requests of older ones. An epoch that falls lets an outdated
    leader pass for the current one.

Releases
    All. A topic that is deleted and created again starts at epoch 0; where lines are missing that could hide this, the
    finding is suspicious.
"""

from __future__ import annotations

from ....model.views import LEADER_EPOCH_NEVER_FALLS
from ..rule import Rule, illegal_unless, step
from ..vocabulary import gap
from ._words import where

RULE = Rule(
    code="KR205",
    name="leader-epoch-falls",
    track="writes",
    verdict=illegal_unless(step(LEADER_EPOCH_NEVER_FALLS.condition), in_doubt=gap),
    message=lambda row: (
        f"the leader epoch of {where(row)} fell from {row['before_leader_epoch']} to {row['leader_epoch']}"
    ),
    expected=lambda row: f"at least {row['before_leader_epoch']}",
    got=lambda row: f"{row['leader_epoch']}",
)
