"""A broker's registration has an epoch that does not grow, or a record names an outdated epoch.

Why it matters
    The broker epoch fences an earlier process of the same broker. Where it does not grow, the controller carries out
    requests of the earlier process, and believes its ISR changes.

How it is seen
    A registration's epoch is larger than every earlier one of the broker, unless the same process registers again (3.7
    and later) and keeps its own. Otherwise it is the offset of its record, or of the first of the changes in its batch
    that clean up after the earlier process (3.8 and later). Up to 3.5 it may be one less, or less by the LeaderChange
    records that stand right before: a controller that becomes active did not count them (KAFKA-15213). Records that
    change a registration, or end it, name its epoch: Kafka's controllers and brokers stop at any other.

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...fields import releases
from ...sources.metadata.columns import cleaned, current, epoch, lag, last_epoch, registers, same_incarnation, uncounted
from ..conditions import in_releases
from ..rule import Rule
from ._remedies import REGISTRATION
from ._words import broken_unless

_same_process = both(same_incarnation, epoch >= last_epoch)
_less = both(either(lag.eq(1), uncounted), releases.intersects(in_releases("<=3.5")))
_kept = both(same_incarnation, epoch.eq(last_epoch))
_placed = either(lag.eq(0), cleaned, _less, _kept)

RULE = Rule(
    code="KR511",
    name="registration-epoch-wrong",
    compares=True,
    observation="metadata_registrations",
    kind="broker",
    verdict=broken_unless(
        either(both(~registers, current), both(registers, either(epoch > last_epoch, _same_process), _placed))
    ),
    message=lambda row: (
        f"broker {row['broker']} {'registers with' if row['registers'] else 'is named with'} epoch {row['epoch']}"
    ),
    expected=lambda row: (
        f"an epoch above {row['last_epoch']}, the offset of its record"
        if row["registers"]
        else f"the epoch of its registration, {row['last_epoch']}"
        if row["last_epoch"] >= 0
        else "a broker that is registered"
    ),
    got=lambda row: f"epoch {row['epoch']} at offset {row['offset']}",
    issues=("KAFKA-15213", "KAFKA-16952"),
    remedy=REGISTRATION,
)
