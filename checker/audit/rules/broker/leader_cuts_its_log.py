"""A broker truncates the log of a partition that it leads.

Why it matters
    Followers copy what the leader has. If the leader truncates its log, records that were acknowledged are gone, and
    other records get their offsets.

How it is seen
    In the lines of one broker process: a line reports a truncation although the broker's last role in the partition is
    leader. Only a follower truncates its log, by its leader's answer; a fetcher thread that lost the partition while it
    waited for that answer must not. A copy that moves to another log directory of the same broker is truncated with the
    same line, so the finding is suspicious; where the log is created or loaded while the broker has it, there is such a
    copy, and nothing is reported.

What a log cannot show
    A truncation of a partition that the broker follows in another leader epoch by then, or has stopped, looks like a
    proper one.

What would make it certain
    Two lines together: the prefix of the truncation (since 1.1), if it has the directory in which the broker leads the
    partition, rules out a copy; a later change of the ISR by the broker, with no role begun since, shows that it led
    on. Either alone is explained by a copy, or by one missing line of a role.

Releases
    All; 2.8.0 has the fault (KAFKA-13207). Up to 2.5 the log must contain requests, which are logged at TRACE.
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import takes_shown
from ...observe.broker.taken import known_role, settled_role
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR644",
    name="leader-cuts-its-log",
    observation="cuts_by_role",
    kind="replica",
    compares=True,
    applies=takes_shown,
    verdict=suspicious_unless(~both(known_role.eq("become-leader"), settled_role.eq("become-leader"))),
    message=lambda row: (
        f"{where(row)} cuts its log to offset {row['offset']}, though it leads in leader epoch {row['known_epoch']}"
    ),
    expected=lambda row: "a cut by a follower",
    got=lambda row: f"a cut by the leader of epoch {row['known_epoch']}",
    bug="KAFKA-13207",
    issues=("KAFKA-13207",),
    remedy=until_copies_agree(KEEP_LOGS),
)
