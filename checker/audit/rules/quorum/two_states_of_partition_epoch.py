"""Two states of a partition are printed with one partition epoch.

Why it matters
    The controller numbers the states of a partition, and every broker acts on them. If two brokers know two states by
    one number, one of them leads, follows or acknowledges by a state that was never committed.

How it is seen
    Lines print a partition epoch when a partition begins to lead or to follow, keeps its role with another state, or
    has a new ISR. All lines about one topic id, partition and partition epoch have the same leader epoch, leader and
    ISR, whoever writes them, and in whatever process: a topic id is never used again. Followers' lines print no topic
    id: theirs is the one that the broker printed before. That line may be missing, so the finding is then suspicious.

What a log cannot show
    Which of the two is right: the metadata log shows it (KR538).

Releases
    With KRaft, since 3.3: in earlier releases, lines print no partition epoch.
    For a broker that is migrated from ZooKeeper, only its lines in KRaft mode.
"""

from __future__ import annotations

from .....model.expr import either, field, ite
from .....model.sorts import Bool
from ...observe.broker.states import id_printed
from ...observe.compared import was
from ...table.protocol import Row
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._words import printed

_differ = either(*(field(f"{name}_differs", Bool) for name in ("leader_epoch", "leader", "isr")))


def _known(row: Row) -> str:
    return printed({name: row.get(f"before_{name}") for name in ("leader_epoch", "leader", "isr")})


RULE = Rule(
    code="KR541",
    name="two-states-of-one-partition-epoch",
    observation="states_by_version",
    compares=True,
    verdict=ite(_differ, ite(id_printed & was(id_printed), ILLEGAL, SUSPICIOUS), HELD),
    message=lambda row: (
        f"broker {row['broker']} has {row['topic']}-{row['partition']} at partition epoch {row['partition_epoch']} with"
        f" {printed(row)}"
    ),
    expected=_known,
    got=printed,
    issues=("KIP-497", "KAFKA-13790", "KAFKA-14154"),
    follows_from=("KR538",),
    remedy=PARTITION_STATE,
)
