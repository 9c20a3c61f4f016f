"""A follower begins to fetch beyond the end of its log.

Why it matters
    Its log lacks the records in between, and nothing reports that. If it is elected, they are lost.

How it is seen
    In the lines of one broker process: the line with which the broker begins to follow prints where its log ends, and
    the line that adds the fetcher, in the same leader epoch, prints the fetcher's first offset. That is the high
    watermark, or since 2.8 the end of the log. Nothing appends to the log between the two lines if the broker led the
    partition before, or had just been started: the first line prints the previous leader epoch.

What a log cannot show
    A follower that changes leaders still fetches from the previous one when the first line is written, so its log may
    grow. An offset between the high watermark and the end of the log.

Releases
    Since 2.6, in which followers print such a line.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import gap, leader_epoch, offset, process_known
from ...observe.compared import was
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR664",
    name="fetches-beyond-log-end",
    observation="first_fetches",
    kind="replica",
    applies=was(leader_epoch).eq(leader_epoch),
    verdict=illegal_unless(offset <= was(offset), in_doubt=either(gap, ~process_known)),
    message=lambda row: (
        f"{where(row)} fetches from offset {row['offset']}, beyond the end of its log {row['before_offset']}"
    ),
    expected=lambda row: f"an offset of at most {row['before_offset']}",
    got=lambda row: f"offset {row['offset']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
