"""An election writes a smaller version of the znode than one before it.

Why it matters
    ZooKeeper gives every write a larger version, and a controller's write succeeds only on the version that it has
    read. An older version after a newer one means that two histories of the partition are mixed, or that a printed
    value was never written.

How it is seen
    In the order of the log, on the lines of elections: each is a write of its own.

Releases
    All that print the version that an election wrote (1.1 and later). A topic that is deleted and created again starts
    at version 0; where missing lines could hide this, the finding is suspicious.
"""

from __future__ import annotations

from ...fields import gap, partition_epoch
from ...observe.compared import was
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR211",
    name="version-falls",
    observation="elections",
    # The same version again is a repeated line, which KR205 reports.
    verdict=illegal_unless(was(partition_epoch) <= partition_epoch, in_doubt=gap),
    message=lambda row: (
        f"an election of {where(row)} wrote version {row['partition_epoch']} after one had written version"
        f" {row['before_partition_epoch']}"
    ),
    expected=lambda row: f"a version above {row['before_partition_epoch']}",
    got=lambda row: f"version {row['partition_epoch']}",
    releases=">=1.1",
    follows_from=("KR302", "KR205"),
    remedy=Remedy(
        workaround="Find out whether two clusters share one path in ZooKeeper (zookeeper.connect), or whether"
        f" it was restored from a backup. {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="a dataVersion that is not smaller than any in the logs",
    ),
)
