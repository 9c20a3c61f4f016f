"""A follower begins to fetch below its own high watermark.

Why it matters
    What a follower has up to its high watermark is committed, and the same on its leader. If it fetches from below, it
    takes over records again that it has, or had cut off what it should have kept.

How it is seen
    In all that one broker wrote, in one process: the line with which it begins to follow prints its high watermark, and
    the line with which the fetcher is added, in the same leader epoch, the offset that it begins with. That is the high
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
