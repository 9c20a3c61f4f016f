"""A broker exits because its log reaches beyond the end of its leader's log.

Why it matters
    The broker is gone with all its partitions because of one, and exits again each time it is started.

How it is seen
    On the line itself with which the process exits. The follower fetched beyond the end of its leader's log: after an
    unclean election, or if the leader lost what was not on its disk. Where unclean elections are not allowed, a broker
    up to 2.0.0 took that for a fault of its own. Records beyond the leader's end may have been committed.

What would make it certain
    A high watermark above the leader's end, printed by any broker in an earlier leader epoch: then committed records
    are gone, and KR661 reports that at the line with which the leader begins. Records above every high watermark may be
    lost legally, and then only the exit is a fault (KAFKA-7414).

Releases
    Up to 2.0.0 (KAFKA-7414). Later releases truncate the follower's log.
"""

from __future__ import annotations

from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import SUSPICIOUS
from ._words import where

RULE = Rule(
    code="KR626",
    name="exits-for-truncation",
    observation="exits",
    kind="replica",
    verdict=SUSPICIOUS,
    message=lambda row: (
        f"{where(row)}: the log ends at {row['log_end_offset']}, beyond its leader's {row['offset']}; the broker exits"
    ),
    cause=lambda row: f"broker {row['broker']} exited because its logs reach beyond their leaders'",
    expected=lambda row: f"a cut to offset {row['offset']}",
    got=lambda row: "the process exits",
    bug="KAFKA-7414",
    issues=("KAFKA-7414",),
    releases="<=2.0",
    remedy=until_copies_agree(KEEP_LOGS),
)
