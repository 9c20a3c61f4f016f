"""One change of a partition moves its leader epoch by more than one, or back.

Why it matters
    Every write of the controller adds one to the version of the znode and at most one to the leader epoch. A bigger
    step between consecutive versions means that Kafka's controller did not write a value, or that it was printed
    wrongly.

How it is seen
    An election reads the znode and writes it back with version and leader epoch one above what it read, so a bigger
    step on an election's line is illegal. A value on any other line may have been written by something else, even by
    hand; there it is suspicious.

Releases
    All that print the version of the znode (1.0 and later).
"""

from __future__ import annotations

from .....model.views import EPOCH_STEP
from ...fields import gap
from ...observe.compared import next_version
from ...observe.controller.elections import election
from ..conditions import step
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import state, where

RULE = Rule(
    code="KR206",
    name="leader-epoch-jumps",
    observation="versions",
    applies=next_version,
    verdict=illegal_unless(step(EPOCH_STEP.condition), in_doubt=gap | ~election),
    message=lambda row: (
        f"the leader epoch of {where(row)} went from {row['before_leader_epoch']} to {row['leader_epoch']}"
        f" while its version went from {row['before_partition_epoch']} to {row['partition_epoch']}"
    ),
    expected=lambda row: f"leader epoch {row['before_leader_epoch']} or {row['before_leader_epoch'] + 1}",
    got=lambda row: f"{state(row)} after {state(row, 'before_')}",
    releases=">=1.0",
    follows_from=("KR205",),
    remedy=Remedy(
        workaround="Find out what else writes the state of partitions in ZooKeeper (a tool, a script, a second"
        " cluster on the same path), and stop it.",
        verify=STATE,
        look_for="values that only the controller in office and the leader have written",
    ),
)
