"""A broker prints as the epoch before another than it had.

Why it matters
    A broker compares each request with the leader epoch that it has. If what it has is not what it took last, it
    refuses leaders that are due, or takes such as are deposed.

How it is seen
    In all that one broker wrote, in one process: a line with which a partition begins to lead or follow prints the
    epoch before. It is the one of the request that the broker took last, or -1 if there is none: after a start, or
    after the replica was deleted. A first line that prints more is judged only where the start of the process is
    there, or the line that tells that the broker has deleted the replica as it was told, which is at TRACE up to 2.5:
    since then a copy in another log directory is deleted with the same line. A line that prints -1 though the process
    had an epoch is a deletion that does not show, where server.log is not there. Up to 2.5 only leaders print such a
    line, so requests must be there, which are logged at TRACE. A single line may be missing of any log: where one would
    explain the epoch, the finding is suspicious. It is illegal where an older one is printed than the broker had. Up to
    2.5 only requests tell what it had; the line may be missing with which one failed, so it is suspicious there.

Releases
    Since 0.11. Followers since 3.6 print the new epoch as the one before, which tells nothing.
"""

from __future__ import annotations

from .....model.expr import const, either, field, ite
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

_deletions, _none = field("deletions", Int(0)), const(0, Int())
_process_begun = process_known & either(_deletions.eq(0) & (_none < process), deleted_here)
_deletions_shown = process_known & (server_log | ~is_line(PRINTED_IN_TURN))
_shown = ite(first, _process_begun, remembers | _deletions_shown)
"""Whether the log shows all that could explain another epoch: a start, a deletion."""
_by_requests = releases.intersects(in_releases("<=2.5"))
_older = remembers & (previous_leader_epoch < epoch_before)
"""A newer epoch, or none, a single missing line would explain: where the replica took it, or was deleted."""

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
        f"{where(row)} {does(row)} in leader epoch {row['leader_epoch']}, and prints as the epoch before"
        f" {row['previous_leader_epoch']}; it had {row['epoch_before']}"
    ),
    expected=lambda row: f"previous leader epoch {row['epoch_before']}",
    got=lambda row: f"previous leader epoch {row['previous_leader_epoch']}",
    remedy=until_copies_agree(f"{KEEP_LOGS} Restart the broker: it takes the leader epochs of its partitions anew."),
)
