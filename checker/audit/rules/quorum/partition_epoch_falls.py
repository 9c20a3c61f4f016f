"""A broker adopts a state of a partition that is older than the one it has.

Why it matters
    A broker that goes back to an older state leads or follows by an ISR and a leader that are no longer the
    controller's: records that it then acknowledges may be on no future leader.

How it is seen
    In the lines of one broker process: partition epochs of the states that it adopts never fall for one topic id. They
    may jump, because a broker applies several records at once, and may repeat: the leader learns of a change of its ISR
    twice. A state that the broker says it ignores because its own is newer does not count. Lines of one millisecond in
    two files have no order. Lines may have been reordered, so the finding is suspicious.

What would make it certain
    A line that prints the partition epoch before the one that is adopted, and Kafka has none. The metadata log does not
    decide it: both states are in it, and KR538 compares each alone. Where the leader epoch falls as well, lines of
    leaders, and up to 3.5 of followers, print the previous one, and KR601 is illegal.

Releases
    With KRaft, since 3.3: in earlier releases, lines print no partition epoch.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import partition_epoch
from ...observe.broker.states import in_order
from ...observe.compared import was
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import suspicious_unless

RULE = Rule(
    code="KR543",
    name="partition-epoch-falls",
    observation="states_in_turn",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(either(was(partition_epoch) <= partition_epoch, ~in_order)),
    message=lambda row: (
        f"broker {row['broker']} adopts {row['topic']}-{row['partition']} at partition epoch {row['partition_epoch']},"
        f" after {row['before_partition_epoch']}"
    ),
    expected=lambda row: f"a partition epoch of {row['before_partition_epoch']} or above",
    got=lambda row: f"partition epoch {row['partition_epoch']}",
    issues=("KIP-497", "KAFKA-13790", "KAFKA-14154"),
    follows_from=("KR538",),
    remedy=PARTITION_STATE,
)
