"""Two brokers lead a partition in the same leader epoch.

Why it matters
    A leader epoch names one leader. With two, both accept writes under one epoch, followers cannot distinguish their
    records, and the logs diverge for good.

How it is seen
    In the lines of all brokers: the line with which a partition begins to lead names its leader epoch, and two brokers
    wrote it with the same one. Brokers' clocks are not compared. A partition that was deleted and created again
    restarts at leader epoch 0; where that shows, nothing is reported. Lines of it may be missing, so the finding is
    suspicious, unless both lines print the same topic id: a new topic never has the id of an earlier one.

Releases
    Since 0.11. Topic ids are printed since 3.3, if the topic has one.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import broker
from ...observe.broker.across import other_leader, same_topic
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._words import where

RULE = Rule(
    code="KR631",
    name="two-brokers-lead-in-one-epoch",
    observation="leaders_in_epoch",
    kind="replica",
    compares=True,
    verdict=ite(broker.eq(other_leader), HELD, ite(same_topic, ILLEGAL, SUSPICIOUS)),
    message=lambda row: (
        f"{where(row)} leads in leader epoch {row['leader_epoch']}, and so does broker {row['other_leader']}"
    ),
    expected=lambda row: f"one leader in leader epoch {row['leader_epoch']}",
    got=lambda row: f"brokers {row['other_leader']} and {row['broker']}",
    releases=">=0.11",
    remedy=until_copies_agree(f"Stop one of the two brokers: both accept writes. {KEEP_LOGS}"),
)
