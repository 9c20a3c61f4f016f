"""Two brokers lead a partition in the same leader epoch.

Why it matters
    A leader epoch names one leader. With two, both accept writes under the same epoch, followers cannot distinguish
    their records, and the logs diverge for good.

Releases
    All.
"""

from __future__ import annotations

from .....model.views import ONE_LEADER_PER_EPOCH
from ...fields import gap
from ..conditions import step
from ..remedy import KEEP_LOGS, STATE, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR207",
    name="two-leaders-in-one-epoch",
    observation="same_leader_epoch",
    verdict=illegal_unless(step(ONE_LEADER_PER_EPOCH.condition), in_doubt=gap),
    message=lambda row: (
        f"{where(row)} has leader {row['leader']} in leader epoch {row['leader_epoch']}, which belongs to"
        f" leader {row['before_leader']}"
    ),
    expected=lambda row: f"leader {row['before_leader']} in leader epoch {row['leader_epoch']}",
    got=lambda row: f"leader {row['leader']} in that epoch",
    remedy=until_copies_agree(
        f"Both brokers may accept writes: stop the one that is not the leader in ZooKeeper ({STATE}). {KEEP_LOGS}"
    ),
)
