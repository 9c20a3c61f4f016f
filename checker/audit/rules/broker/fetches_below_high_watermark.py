"""A follower begins to fetch below its own high watermark.

Why it matters
    Records below a follower's high watermark are committed, and the same on its leader. A follower that fetches from
    below copies records that it already has, or has truncated records that it should have kept.

How it is seen
    In the lines of one broker process: the line with which the broker begins to follow prints its high watermark, and
    the line that adds the fetcher, in the same leader epoch, prints the fetcher's first offset. That is the high
    watermark, or since 2.8 the end of the log.

Releases
    Since 2.6, in which followers print such a line.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import gap, high_watermark, leader_epoch, offset, process_known
from ...observe.compared import was
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR617",
    name="fetches-below-high-watermark",
    observation="fetch_offsets",
    kind="replica",
    applies=was(leader_epoch).eq(leader_epoch),
    verdict=illegal_unless(was(high_watermark) <= offset, in_doubt=either(gap, ~process_known)),
    message=lambda row: (
        f"{where(row)} fetches from offset {row['offset']}, below its high watermark {row['before_high_watermark']}"
    ),
    expected=lambda row: f"an offset of at least {row['before_high_watermark']}",
    got=lambda row: f"offset {row['offset']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
