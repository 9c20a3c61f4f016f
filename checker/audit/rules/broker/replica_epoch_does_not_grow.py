"""A replica begins to lead or follow in a leader epoch that is not above the previous one.

Why it matters
    A broker accepts a new leader only with a larger leader epoch. If it accepts an older or the same one, it can follow
    a deposed leader, truncate its log to match, and lose committed records.

How it is seen
    In the lines of one broker process, from where it begins to host the partition. A partition that is deleted and
    created again starts over: its first line says so, and leaders' lines always do. A line that prints the previous
    epoch contradicts itself. Any other is suspicious at most: any log may lack a line, and this one may lack that of
    the replica's deletion, or of the process's start.

Releases
    All that print the epoch: leaders since 0.11, followers since 2.6. From 3.0 to 3.2 in KRaft mode the line is printed
    again in the same epoch: that is suspicious at most.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import gap, leader_epoch, releases
from ...lines import FOLLOWS, is_line
from ...observe.broker.hosted import not_above
from ...observe.broker.starts import epoch_taken
from ..conditions import in_releases
from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import does, where

_printed_again = releases.intersects(in_releases("3.0-3.2")) & epoch_taken.eq(leader_epoch)
_prints_its_own = is_line(FOLLOWS) & releases.intersects(in_releases(">=3.6"))
_in_doubt = either(gap, ~not_above, _prints_its_own, _printed_again)
"""A line that prints the previous epoch contradicts itself; the missing line of a deletion would explain any other."""

RULE = Rule(
    code="KR601",
    name="replica-epoch-does-not-grow",
    observation="role_starts",
    kind="replica",
    compares=True,
    verdict=illegal_unless(epoch_taken < leader_epoch, in_doubt=_in_doubt),
    message=lambda row: (
        f"{where(row)} {does(row)} in leader epoch {row['leader_epoch']}, after epoch {row['epoch_taken']}"
    ),
    expected=lambda row: f"a leader epoch above {row['epoch_taken']}",
    got=lambda row: f"leader epoch {row['leader_epoch']}",
    contradicts=lambda row: not row["not_above"],
    issues=("KIP-101",),
    remedy=until_copies_agree(f"{KEEP_LOGS} {MOVE_CONTROLLER}"),
)
