"""A broker prints as the epoch before another than it had.

Why it matters
    A broker compares each request with the leader epoch that it has. If what it has is not what it took last, it
    refuses leaders that are due, or takes such as are deposed.

How it is seen
    In all that one broker wrote, in one process: a line with which a partition begins to lead or follow prints the
    epoch before. It is the one of the line before of the same partition, or -1 if there is none: after a start, or
    after the replica was deleted. A first line that prints more is judged only where the start of the process is
    there. A line that prints -1 though the process had an epoch is a deletion that does not show, where server.log is
    not there.

Releases
    Since 2.6, in which all such lines are in state-change.log. Followers since 3.6 print the new epoch as the one
    before, which tells nothing.
"""

from __future__ import annotations

from .....model.expr import const, ite
from .....model.sorts import Int
from ...fields import gap, previous_leader_epoch, process, process_known, server_log
from ...observe.broker.hosted import remembers
from ...observe.broker.starts import first, known_epoch
from ..remedy import COPIES, KEEP_LOGS, Remedy
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SILENT, SUSPICIOUS
from ._words import does, where

_process_begun = process_known & (const(0, Int()) < process)
_shown = ite(first, _process_begun, remembers | (process_known & server_log))
"""Whether the log shows all that could explain another epoch: a start, a deletion."""

RULE = Rule(
    code="KR602",
    name="previous-epoch-differs",
    observation="role_starts_in_process",
    kind="replica",
    verdict=ite(previous_leader_epoch.eq(known_epoch), HELD, ite(~_shown, SILENT, ite(gap, SUSPICIOUS, ILLEGAL))),
    releases=">=2.6",
    message=lambda row: (
        f"{where(row)} {does(row)} in leader epoch {row['leader_epoch']}, and prints as the epoch before"
        f" {row['previous_leader_epoch']}; it had {row['known_epoch']}"
    ),
    expected=lambda row: f"previous leader epoch {row['known_epoch']}",
    got=lambda row: f"previous leader epoch {row['previous_leader_epoch']}",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} Restart the broker: it takes the leader epochs of its partitions anew.",
        verify=COPIES,
        look_for="a lag of 0 for every replica",
    ),
)
