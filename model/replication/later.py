"""Changes after the ladder, on top of KIP-320 as Kafka released it: the last ISR member stays in the ISR."""

from __future__ import annotations

from .kip497 import KIP_497, NO_MAXIMAL_ISR
from .kip966 import HW_ADVANCES_BELOW_MIN_ISR, KIP_966, MIN_INSYNC
from .ladder import KIP320
from .unclean import KEEPS_ISR, UNCLEAN_ELECTION

_RELEASED = KIP320.without("empty-isr")

KIP497 = _RELEASED.with_behaviours(
    KIP_497,
    name="kip497",
    statement="KIP-497: ISR changes through the controller, maximal ISR for the high watermark (2.7).",
)
KIP497_BROKEN = KIP497.with_behaviours(
    NO_MAXIMAL_ISR,
    name="kip497-committed-isr-only",
    statement="KIP-497 if the high watermark waited for the committed ISR only (broken).",
)
UNCLEAN = _RELEASED.with_behaviours(
    UNCLEAN_ELECTION,
    name="unclean-election",
    statement="unclean.leader.election.enable: the promises that remain when leaders come from outside the ISR.",
).watching("kept")
UNCLEAN_BROKEN = UNCLEAN.with_behaviours(
    KEEPS_ISR,
    name="unclean-election-keeps-isr",
    statement="Unclean election if the new leader joined the old ISR (broken).",
)
LAST_REPLICA_STANDING = _RELEASED.with_behaviours(
    MIN_INSYNC,
    name="last-replica-standing",
    statement="acks=all and min.insync.replicas before KIP-966: the last ISR member stays after a crash (broken).",
).watching("acknowledged")
KIP966 = LAST_REPLICA_STANDING.with_behaviours(
    KIP_966, name="kip966", statement="KIP-966: eligible leader replicas (4.0, off by default since 3.7)."
)
KIP966_BROKEN = KIP966.with_behaviours(
    HW_ADVANCES_BELOW_MIN_ISR,
    name="kip966-without-kafka-15583",
    statement="KIP-966 if the high watermark advanced below min.insync.replicas (broken).",
)
