"""A partition changed more often between two states than its version grew.

Why it matters
    Each change of a partition's state takes one version: an election that raises the leader epoch, a change of the ISR
    by the leader. If there are more changes than versions, one of them overwrote another.

How it is seen
    In the lines of brokers and controllers: the versions of two states that controllers printed differ at least by as
    much as their leader epochs, plus one for each ISR that a leader wrote in a version between them. Missing lines only
    reduce the number of changes. Lines of a deletion may be missing, so the finding is suspicious.

What a log cannot show
    Fewer changes than versions are no fault: up to 2.3 leaders do not print the version, and a leader that was paused
    or cut off from ZooKeeper prints a change that was never written.

What would make it certain
    Proof that all lines are of one topic: when it is created again, versions restart, and the lines of that may be
    missing. Complete files controller.log of all controllers prove it: they have "New topics: ..." and the deletion of
    each topic at INFO. ZooKeeper's transaction log has each write.

Releases
    Since 2.4, up to 2.3 at TRACE: where leaders print the version.
"""

from __future__ import annotations

from ...fields import leader_epoch, partition_epoch
from ...observe.broker.across import writes
from ...observe.compared import was
from ..controller._words import where
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS

_sound = leader_epoch + writes + was(partition_epoch) <= partition_epoch + was(leader_epoch) + was(writes)

RULE = Rule(
    code="KR638",
    name="more-changes-than-versions",
    observation="changes_between",
    applies=was(leader_epoch) <= leader_epoch,
    verdict=suspicious_unless(_sound),
    message=lambda row: (
        f"{where(row)} has version {row['partition_epoch']} in leader epoch {row['leader_epoch']}, after version"
        f" {row['before_partition_epoch']} in leader epoch {row['before_leader_epoch']} and"
        f" {row['writes'] - row['before_writes']} changes of the ISR"
    ),
    expected=lambda row: "a version for each change",
    got=lambda row: (
        f"{row['partition_epoch'] - row['before_partition_epoch']} versions for"
        f" {row['leader_epoch'] - row['before_leader_epoch'] + row['writes'] - row['before_writes']} changes"
    ),
    follows_from=CONTROLLERS,
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="the version that the leader printed last",
    ),
)
