"""A controller of an earlier epoch wrote a partition after its successor had read it.

Why it matters
    The successor works with what it read. The deposed controller's write makes that stale: the successor's next write
    fails or, where it does not check the version, undoes an election that brokers have already acted on.

How it is seen
    The successor prints a version of the znode; the next version, with a larger leader epoch, was written under the
    earlier controller epoch. Only controllers raise a leader epoch, so the deposed controller wrote it afterwards. If
    the successor had written in between, this would be KR302, which is illegal; here it is suspicious.

What would make it certain
    ZooKeeper's transaction log: it has the writes of the partition's znode and of /controller_epoch in their order,
    each with its session. No line of a broker proves that order: the topic may have been created again, which restarts
    versions, and the lines of that may be missing.

Releases
    Up to 2.0 (KAFKA-6082). Since 2.1 every write of a controller checks the version of /controller_epoch.
"""

from __future__ import annotations

from .....model.expr import field, ite
from .....model.sorts import Int
from ...fields import leader_epoch
from ...observe.compared import next_version, was
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS
from ._words import where

_raised = was(leader_epoch) < leader_epoch

RULE = Rule(
    code="KR304",
    name="deposed-controller-writes",
    observation="versions",
    applies=next_version & _raised,
    verdict=ite(field("read_in", Int()) <= field("written_by_epoch", Int()), HELD, SUSPICIOUS),
    message=lambda row: (
        f"controller epoch {row['written_by_epoch']} wrote version {row['partition_epoch']} of {where(row)} after"
        f" controller epoch {row['read_in']} had read version {row['before_partition_epoch']}"
    ),
    expected=lambda row: f"a write under controller epoch {row['read_in']} or later",
    got=lambda row: f"controller epoch {row['written_by_epoch']}",
    issues=("KAFKA-6082",),
    bug="KAFKA-6082",
    follows_from=("KR302",),
    # The successor may have read the version before once more, on a later line.
    contradicts=lambda row: bool(row["before_controller_epoch"] == row["read_in"]),
    remedy=Remedy(
        workaround="Find out why the process of the earlier controller paused for longer than its ZooKeeper"
        f" session (garbage collection, swapping, a frozen machine), and restart that broker. {MOVE_CONTROLLER}",
        verify=STATE,
        look_for="the controller_epoch of the controller that is in office",
    ),
)
