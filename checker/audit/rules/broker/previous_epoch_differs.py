"""A broker prints a previous leader epoch that it did not have.

Why it matters
    A broker compares each request with the leader epoch that it has. If that is not the one it adopted last, it refuses
    rightful leaders, or accepts deposed ones.

How it is seen
    In the lines of one broker process: a line with which a partition begins to lead or follow prints the previous
    epoch. It is that of the last request that the broker accepted, or -1 if there is none: after a start, or after the
    replica was deleted. A first line that prints a higher one is judged only where the log shows the start of the
    process, or the line that the broker has deleted the replica as instructed. That line is at TRACE up to 2.5; since
    then the same line is printed when a copy in another log directory is deleted. A line that prints -1 although the
    process had an epoch is a deletion that does not show, where server.log is absent. Up to 2.5 only leaders print such
    a line, so the log must contain requests, which are logged at TRACE. Any log may lack a single line: where one would
    explain the epoch, the finding is suspicious. It is illegal where the printed epoch is older than the broker's. Up
    to 2.5 only requests show the broker's epoch, and the line with which one failed may be missing, so the finding is
    suspicious there.

Releases
    Since 0.11. Followers since 3.6 print the new epoch as the previous one, which shows nothing.
"""

from __future__ import annotations

from .....model.expr import either, field, ite
from .....model.sorts import Int
from ...fields import gap, leader_epoch, previous_leader_epoch, process, process_known, releases, server_log
from ...lines import is_line
from ...observe.broker.hosted import remembers
from ...observe.broker.starts import deleted_here, epoch_before, first, request_shown
from ...observe.broker.taken import PRINTED_IN_TURN
from ..conditions import in_releases
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..shown_by import EPOCH_DIFFERS
from ..verdicts import HELD, ILLEGAL, SILENT, SUSPICIOUS
from ._words import does, where

_deletions = field("deletions", Int(0))
_process_begun = process_known & either(_deletions.eq(0) & (process > 0), deleted_here)
_deletions_shown = process_known & (server_log | ~is_line(PRINTED_IN_TURN))
_shown = ite(first, _process_begun, remembers | _deletions_shown)
"""True if the log shows all that could explain another epoch: a start, a deletion."""
_by_requests = releases.intersects(in_releases("<=2.5"))
_older = remembers & (previous_leader_epoch < epoch_before)
"""A newer epoch, or none, is explained by a single missing line: the replica adopted it, or was deleted."""

RULE = Rule(
    code="KR602",
    shows=(EPOCH_DIFFERS,),
    name="previous-epoch-differs",
    observation="epochs_before",
    kind="replica",
    verdict=ite(
        previous_leader_epoch.eq(epoch_before),
        HELD,
        ite(~_shown, SILENT, ite(either(gap, ~_older, _by_requests), SUSPICIOUS, ILLEGAL)),
    ),
    applies=is_line(PRINTED_IN_TURN) | (request_shown & ~epoch_before.eq(leader_epoch)),
    message=lambda row: (
        f"{where(row)} {does(row)} in leader epoch {row['leader_epoch']}, and prints previous leader epoch"
        f" {row['previous_leader_epoch']}; it had {row['epoch_before']}"
    ),
    expected=lambda row: f"previous leader epoch {row['epoch_before']}",
    got=lambda row: f"previous leader epoch {row['previous_leader_epoch']}",
    remedy=until_copies_agree(f"{KEEP_LOGS} Restart the broker: it then learns its leader epochs again."),
)
