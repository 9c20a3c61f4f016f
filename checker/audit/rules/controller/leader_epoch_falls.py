"""The leader epoch of a partition falls, or an election does not raise it.

Why it matters
    Followers truncate their logs by leader epochs and reject requests of older ones. An epoch that falls lets an
    outdated leader pass for the current one. With two elections in one epoch, nobody can say which of them a follower
    has seen.

How it is seen
    In the order of the log, on lines that are printed after a write of the znode. Every election adds one to the epoch,
    even where the leader stays, so its line has a larger epoch than any before it. A log that lacks lines may also
    repeat them, so there the same epoch is no finding. Nor is it where one call elects twice (KR303): both lines print
    what the last election wrote.

Releases
    All. A topic that is deleted and created again starts at epoch 0; where missing lines could hide this, the finding
    is suspicious.
"""

from __future__ import annotations

from .....model.expr import ite
from .....model.views import LEADER_EPOCH_NEVER_FALLS
from ...fields import gap, leader_epoch, releases
from ...lines import ELECTED
from ...observe.compared import was
from ...observe.controller.elections import election, printed_again
from ...table.protocol import Row
from ..conditions import behaviour_releases, step
from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, until_copies_agree
from ..rule import Rule
from ..verdicts import ILLEGAL, illegal_unless
from ._words import where

_elected_again = printed_again & releases.intersects(behaviour_releases("retry-all elections"))
_not_raised = election & was(leader_epoch).eq(leader_epoch) & ~gap & ~_elected_again


def _message(row: Row) -> str:
    if row["leader_epoch"] == row["before_leader_epoch"]:
        return f"an election of {where(row)} did not raise the leader epoch, which is {row['leader_epoch']}"
    return f"the leader epoch of {where(row)} fell from {row['before_leader_epoch']} to {row['leader_epoch']}"


RULE = Rule(
    code="KR205",
    name="leader-epoch-falls",
    observation="znode_writes",
    verdict=ite(_not_raised, ILLEGAL, illegal_unless(step(LEADER_EPOCH_NEVER_FALLS.condition), in_doubt=gap)),
    message=_message,
    expected=lambda row: f"leader epoch {row['before_leader_epoch'] + (row['row'] in ELECTED)} or above",
    got=lambda row: f"leader epoch {row['leader_epoch']}",
    remedy=until_copies_agree(f"{KEEP_LOGS} {MOVE_CONTROLLER}"),
)
