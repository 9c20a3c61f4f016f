"""A broker takes a state of a partition that is older than the one it has.

Why it matters
    A broker that goes back to an older state leads, or follows, by an ISR and a leader that are no longer those of the
    controller: what it acknowledges then may be on no replica that will lead.

How it is seen
    In all that one broker wrote, in one process: partition epochs of the states that it takes never fall for one topic
    id. They may jump, since a broker applies several records at once, and may repeat: the leader hears of a change of
    its ISR twice. A state that it says it does not take, as its own is newer, is none that it takes. Lines of one
    millisecond in two files have no order. As lines may have been put in another order, it is suspicious.

Releases
    With KRaft, since 3.3: before, lines print no partition epoch.
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
        f"broker {row['broker']} takes {row['topic']}-{row['partition']} at partition epoch {row['partition_epoch']},"
        f" after {row['before_partition_epoch']}"
    ),
    expected=lambda row: f"a partition epoch of {row['before_partition_epoch']} or above",
    got=lambda row: f"partition epoch {row['partition_epoch']}",
    issues=("KIP-497", "KAFKA-13790", "KAFKA-14154"),
    follows_from=("KR538",),
    remedy=PARTITION_STATE,
)
