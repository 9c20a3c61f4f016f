"""An election writes epoch or version 0 of an existing partition, or another value of a new one.

Why it matters
    The first election of a new partition creates its znode: version 0, leader epoch 0. Any later election raises both.
    A line with other values reports a move that the controller did not make, or a state that it did not write:
    followers that truncate their logs by this epoch may keep records that the leader lacks.

How it is seen
    On the line alone, so missing, repeated and reordered lines make no difference.

Releases
    1.1 and later, which print the version of the znode with the move.
"""

from __future__ import annotations

from .....model.expr import both, ite
from ...fields import from_state, leader_epoch, partition_epoch
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import state, where

_new = from_state("partition").eq("NewPartition")
_both = (leader_epoch, partition_epoch)

RULE = Rule(
    code="KR212",
    name="leader-epoch-of-new-partition",
    observation="elections",
    verdict=illegal_unless(ite(_new, both(*(each.eq(0) for each in _both)), both(*(~each.eq(0) for each in _both)))),
    message=lambda row: (
        f"{where(row)} went from {row['from_state']} to OnlinePartition with leader epoch {row['leader_epoch']},"
        f" version {row['partition_epoch']} of its znode"
    ),
    expected=lambda row: (
        "leader epoch 0, version 0" if row["from_state"] == "NewPartition" else "a leader epoch and a version above 0"
    ),
    got=lambda row: f"{state(row)}, version {row['partition_epoch']}",
    releases=">=1.1",
    remedy=Remedy(
        workaround=f"Find out what else writes the state of partitions in ZooKeeper. {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="the leader epoch and version that the latest lines print",
    ),
)
