"""An election writes leader epoch 0 or version 0 of a partition that was there, or others of a new partition.

Why it matters
    A new partition gets its znode by its first election: version 0, leader epoch 0. Any later election raises both. A
    line that says otherwise tells of a move that the controller did not make, or of a state that it did not write:
    followers that cut their logs by this epoch may keep what the leader does not have.

How it is seen
    On the line alone, so it matters not which other lines are missing, repeated or out of order.

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
        look_for="a leader epoch and a version as the latest lines print them",
    ),
)
