"""A replica begins to lead or follow in a version that the controller's leader epoch cannot have.

Why it matters
    The version orders all changes of a partition's state. A broker that begins in an older version than the election
    wrote has an outdated ISR; one that begins in a newer version has a state that nobody wrote.

How it is seen
    In the lines of brokers and controllers: a line with which a replica begins to lead or follow prints leader epoch
    and version. The version is at least the one that a controller printed with that leader epoch. It exceeds all of
    these at most by the number of ISR changes that the leader wrote in that epoch, where the leader's lines are
    available. Clocks are not compared. A line may be missing, so the finding is suspicious.

What would make it certain
    The line of the write that began the leader epoch: no lower version can have that epoch. A version that is too high
    is certain only with all lines of the leader. Both need proof that the topic was not created again, which restarts
    versions; controllers in ZooKeeper mode print no topic id.

Releases
    Since 3.3, where brokers print the version, called the partition epoch.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import partition_epoch
from ...observe.broker.across import leader_shown, most_sent, sent_version, writes
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._words import does, where

RULE = Rule(
    code="KR636",
    name="version-not-from-controllers",
    former_names=("version-unlike-controllers",),
    observation="versions_taken",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(
        (sent_version <= partition_epoch) & either(~leader_shown, partition_epoch <= most_sent + writes)
    ),
    message=lambda row: (
        f"{where(row)} {does(row)} in leader epoch {row['leader_epoch']} and version {row['partition_epoch']}; the"
        f" controller wrote that leader epoch in version {row['sent_version']}, and leaders changed the ISR"
        f" {row['writes']} times since"
    ),
    expected=lambda row: f"a version from {row['sent_version']} to {row['most_sent'] + row['writes']}",
    got=lambda row: f"version {row['partition_epoch']}",
    releases=">=3.3",
    follows_from=CONTROLLERS,
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="the version that the leader printed last",
    ),
)
