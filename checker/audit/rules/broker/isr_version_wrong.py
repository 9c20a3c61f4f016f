"""A leader writes its ISR in a version that does not follow the one that it knew.

Why it matters
    The version of a partition's state orders all its changes. A leader's write succeeds only if nobody else has written
    since. If the version falls or repeats, two states have one version; if it jumps, the leader has overwritten a
    change that it never saw.

How it is seen
    In the lines of one broker process: the line that an ISR is written prints the new version. It is larger than the
    version that the broker adopted, or wrote last, and than the leader epoch: leader epochs and versions begin at 0,
    and each new leader epoch is a new version. A version that is only below the leader epoch is suspicious: copying the
    states to another ZooKeeper restarts their versions, but not their epochs. Where the broker's lines print the
    version that it adopted (at TRACE, and since 3.3), the new version is larger by one. In KRaft mode the controller
    may have made changes in between. There, the version is also the same where the controller's answer arrives after
    the broker has read the change in the metadata log, or where nothing had to change
    (Partition.handleAlterPartitionUpdate). The same holds in a migration, where the KRaft controller sends a change to
    a broker in ZooKeeper mode before it answers. Where the broker is a follower according to its own lines, the finding
    is suspicious: lines are missing, or in the wrong place.

Releases
    Since 2.4, up to 2.3 at TRACE.
"""

from __future__ import annotations

from .....model.expr import either, ite
from ...fields import gap, of_zookeeper, partition_epoch
from ...lines import ISR_WRITTEN, is_line
from ...observe.broker.isr import by_follower, version_before, version_certain, version_printed
from ...observe.broker.taken import version_sent
from ...table.protocol import Row
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

_grows = ite(of_zookeeper & ~version_sent, version_before < partition_epoch, version_before <= partition_epoch)
"""A version that grows by more than one is suspicious: the line of a change in between may be missing."""
_by_one = ite(version_certain, partition_epoch.eq(version_before + 1), _grows)


def _expected(row: Row) -> str:
    before = row["version_before"]
    if row["version_certain"]:
        return f"version {before + 1}"
    above = row["of_zookeeper"] and not row["version_sent"]
    return f"a version above {before}" if above else f"version {before} or above"


def _message(row: Row) -> str:
    known = row["version_before"] == row.get("known_version")
    after = f"after version {row['version_before']}" if known else f"in leader epoch {row['known_epoch']}"
    return f"{where(row)} writes its ISR in version {row['partition_epoch']}, {after}"


RULE = Rule(
    code="KR607",
    name="isr-version-wrong",
    observation="isr_by_isr",
    kind="replica",
    compares=True,
    applies=is_line(ISR_WRITTEN),
    verdict=illegal_unless(_by_one, in_doubt=either(gap, _grows, ~of_zookeeper, ~version_printed, by_follower)),
    message=_message,
    expected=_expected,
    got=lambda row: f"version {row['partition_epoch']}",
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="the version and the ISR that the leader printed last",
    ),
)
