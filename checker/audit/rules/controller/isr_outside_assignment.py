"""The ISR names a broker that is not assigned to the partition.

Why it matters
    A broker that is not a replica holds no log of the partition; counted as in sync, it makes records look safer than
    they are.

Releases
    All. While a partition is being reassigned this is legal (KAFKA-9672): the request already carries the new replicas
    while the ISR still holds those that leave. The log does not always show that a reassignment is in progress, so the
    finding is suspicious. It is illegal if no line is missing, the level is TRACE, and either the partition has just
    been created, or, up to 2.3, the broker is in no assignment and no ISR printed just before: a replica that leaves
    was assigned. There, a line with a lower leader epoch than the one before prints an earlier state (KAFKA-9212). And
    a leader's write may include a replica that the leader still believes to be assigned: it ignores requests of its own
    leader epoch (ReplicaManager.becomeLeaderOrFollower), so it keeps the assignment with which that epoch began.
    Since 2.4 a reassignment can be cancelled (KIP-455): KafkaController.updateCurrentReassignment first writes the old
    assignment, and then removes a replica from the ISR only if it is a member. If the controller dies in between, the
    leader still has the other replicas, and may add one to the ISR. A later controller prints that, and none of its own
    lines shows a reassignment.
"""

from __future__ import annotations

from .....model.expr import ite
from .....model.views import ISR_WITHIN_REPLICAS
from ...fields import lossy, releases, seen_level
from ...observe.controller.views import creation, fresh, joined, reassigning
from ..conditions import in_releases
from ..remedy import BEFORE_2_2, MOVE_CONTROLLER, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._words import brokers, ids, where

RULE = Rule(
    code="KR203",
    name="isr-outside-assignment",
    observation="states",
    # A partition that a new controller finds without a leader is created with an assignment that no line prints.
    applies=~creation | fresh,
    verdict=ite(
        ISR_WITHIN_REPLICAS.condition | ~reassigning.eq(0),
        HELD,
        # Above TRACE, two missing lines turn two creations into one.
        ite(
            (fresh | joined & releases.subset_of(in_releases("<=2.3"))) & ~lossy & seen_level.eq("TRACE"),
            ILLEGAL,
            SUSPICIOUS,
        ),
    ),
    message=lambda row: (
        f"the ISR of {where(row)} has {brokers({*row['isr']} - {*row['replicas']})}, not among its replicas"
    ),
    expected=lambda row: f"an ISR within {ids(row['replicas'])}, unless the partition is being reassigned",
    got=lambda row: f"ISR {ids(row['isr'])}",
    issues=("KAFKA-9672",),
    remedy=Remedy(
        workaround="Nothing needs to be done while the partition is being reassigned: wait until it ends"
        f" (kafka-reassign-partitions.sh --verify). If it is not: {MOVE_CONTROLLER}",
        verify=TOPIC,
        look_for="an Isr of which each member is among the Replicas",
        older=BEFORE_2_2,
    ),
)
