"""One version of a partition's znode is printed with two different states.

Why it matters
    ZooKeeper gives every write its own version. Two states under one version mean that some component acts on a state
    that was never written.

Releases
    All that print the version of the znode (1.0 and later).
"""

from __future__ import annotations

from .....model.views import ONE_STATE_PER_PARTITION_EPOCH
from ...fields import gap
from ...observe.compared import same_version
from ..conditions import step
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import state, where

RULE = Rule(
    code="KR208",
    name="two-states-in-one-version",
    observation="versions",
    applies=same_version,
    verdict=illegal_unless(step(ONE_STATE_PER_PARTITION_EPOCH.condition), in_doubt=gap),
    message=lambda row: f"version {row['partition_epoch']} of the znode of {where(row)} is printed with two states",
    expected=lambda row: state(row, "before_"),
    got=state,
    releases=">=1.0",
    follows_from=("KR207", "KR201", "KR205"),
    remedy=Remedy(
        workaround=f"Find out whether two clusters share one path in ZooKeeper (zookeeper.connect). {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="the state that the latest lines print",
    ),
)
