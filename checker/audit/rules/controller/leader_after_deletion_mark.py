"""UpdateMetadata names a live leader after it announced the deletion of the topic.

Why it matters
    Leader -2 instructs every broker to forget the partition. A leader after that, without the topic being created
    again, brings back a partition that is half deleted.

Releases
    All. A line with leader -2 carries no epochs.
"""

from __future__ import annotations

from ...fields import LEADER_DURING_DELETE, gap, leader
from ...observe.compared import was
from ..remedy import BEFORE_2_2, MOVE_CONTROLLER, TOPICS, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR403",
    name="leader-after-deletion-mark",
    observation="metadata_sent",
    applies=was(leader).eq(LEADER_DURING_DELETE),
    verdict=illegal_unless(leader.is_none() | leader.eq(LEADER_DURING_DELETE), in_doubt=gap),
    message=lambda row: (
        f"{where(row)} was marked as deleted, then got leader {row['leader']} without being created again"
    ),
    expected=lambda row: "leader -2 until the topic is created again",
    got=lambda row: f"leader {row['leader']}",
    remedy=Remedy(
        workaround="Keep all brokers with a replica of the topic up until its deletion is complete. If it comes back:"
        f" {MOVE_CONTROLLER}",
        verify=TOPICS,
        look_for="the topic is not in the list",
        older=BEFORE_2_2,
    ),
)
