"""A broker caches an older state of a partition than the one that it had cached.

Why it matters
    Clients ask any broker who leads a partition. A broker whose cache goes back sends them to a leader that is
    deposed; it stays so until the controller happens to send the partition again.

How it is seen
    In all that one broker wrote, in one process, between two deletions of the partition: each line that tells what is
    cached has a leader epoch that is not below the one before, and in the same leader epoch no lower version, whichever
    controller it is from. Lines of a deletion, or of a start, may be missing, so it is suspicious. That a cache is
    behind is legal; KR402 is about a controller that sends an older state.

Releases
    Where metadata is logged: at TRACE. The version is printed since 1.0.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import leader_epoch, process_known
from ...observe.broker.received_epochs import version
from ...observe.compared import was
from ..remedy import MOVE_CONTROLLER, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR618",
    name="cached-state-falls",
    observation="metadata_cached",
    kind="replica",
    applies=process_known,
    verdict=suspicious_unless(
        either(was(leader_epoch) < leader_epoch, was(leader_epoch).eq(leader_epoch) & (was(version) <= version))
    ),
    message=lambda row: (
        f"{where(row)} caches leader epoch {row['leader_epoch']} and version {row['version']}, after leader epoch"
        f" {row['before_leader_epoch']} and version {row['before_version']}"
    ),
    expected=lambda row: f"leader epoch {row['before_leader_epoch']}, version {row['before_version']}, or above",
    got=lambda row: f"leader epoch {row['leader_epoch']}, version {row['version']}",
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=TOPIC, look_for="the leader that the controller printed last"),
)
