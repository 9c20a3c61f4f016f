"""A controller of an earlier epoch overwrote what a later one had written.

Why it matters
    Only one controller may decide. A controller that was paused beyond its session (a *zombie*) and still wins a write
    undoes its successor's decisions: leaders change without anybody knowing.

Releases
    Up to 2.0 the only fence is the version of each partition's znode; since 2.1 (KAFKA-6082) every write of a
    controller also checks the version of /controller_epoch. Late lines of a zombie alone are no finding; only writes
    that succeeded, in the order of the znode's versions, are judged.
"""

from __future__ import annotations

from .....model.views import CONTROLLER_EPOCH_NEVER_FALLS
from ...fields import gap
from ..conditions import step
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR302",
    name="interleaved-controllers",
    observation="elections_by_version",
    verdict=illegal_unless(step(CONTROLLER_EPOCH_NEVER_FALLS.condition), in_doubt=gap),
    message=lambda row: (
        f"controller epoch {row['controller_epoch']} wrote version {row['partition_epoch']} of {where(row)} after"
        f" controller epoch {row['before_controller_epoch']} had written version {row['before_partition_epoch']}"
    ),
    expected=lambda row: f"a controller epoch of at least {row['before_controller_epoch']}",
    got=lambda row: f"controller epoch {row['controller_epoch']}",
    issues=("KAFKA-6082",),
    bug="KAFKA-6082",
    remedy=Remedy(
        workaround="Find out why the process of the earlier controller paused for longer than its ZooKeeper"
        f" session (garbage collection, swapping, a frozen machine), and restart that broker. {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="the controller_epoch of the controller that is in office",
    ),
)
