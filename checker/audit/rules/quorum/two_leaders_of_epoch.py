"""Two brokers lead a partition in one leader epoch.

Why it matters
    A leader epoch has one leader: its number distinguishes an old leader from the new one. With two, both accept
    records at the same offsets, and those of one of them are lost.

How it is seen
    A broker that begins to lead prints topic id and leader epoch; no other broker does so with the same ones, in any
    process. A topic id is never used again. Up to 3.2 the line prints none: the topic id is then that of the line in
    which the broker said that it hosts the partition; that line may be missing, so the finding is suspicious.

Releases
    All with KRaft, since 3.0.
    For a broker that is migrated from ZooKeeper, only its lines in KRaft mode.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import broker
from ...observe.broker.states import before_broker, id_printed
from ...observe.compared import was
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS

RULE = Rule(
    code="KR542",
    name="two-leaders-of-one-leader-epoch",
    observation="leaders_by_epoch",
    compares=True,
    verdict=ite(broker.eq(before_broker), HELD, ite(id_printed & was(id_printed), ILLEGAL, SUSPICIOUS)),
    message=lambda row: (
        f"broker {row['broker']} leads {row['topic']}-{row['partition']} in leader epoch {row['leader_epoch']}, as does"
        f" broker {row['before_broker']}"
    ),
    expected=lambda row: f"leader {row['before_broker']} in leader epoch {row['leader_epoch']}",
    got=lambda row: f"leader {row['broker']}",
    issues=("KIP-101", "KAFKA-14296"),
    follows_from=("KR538", "KR541"),
    remedy=PARTITION_STATE,
)
