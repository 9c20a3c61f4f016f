"""The high watermark of a leader falls in one leader epoch.

Why it matters
    Committed records stay committed. A leader that lowers its high watermark no longer vouches for records that
    consumers have already seen.

How it is seen
    In the lines of one broker process in one leader epoch: the line with which the broker begins to lead prints its
    high watermark, and so does each line that shrinks its ISR.

Releases
    Since 2.4.1; two lines of a shrinking ISR since 2.2. In some releases of 2.7 and 2.8 a leader counts a diverging
    fetch as progress (KAFKA-13141): its high watermark is too large, and the next leader's is smaller.
"""

from __future__ import annotations

from .....model.expr import either
from .....model.views import HIGH_WATERMARK_MONOTONE
from ...fields import gap, process_known
from ..conditions import step
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR613",
    name="high-watermark-falls",
    observation="high_watermarks_of_leader",
    kind="replica",
    verdict=illegal_unless(step(HIGH_WATERMARK_MONOTONE.condition), in_doubt=either(gap, ~process_known)),
    message=lambda row: (
        f"the high watermark of {where(row)} fell from {row['before_high_watermark']} to {row['high_watermark']} in"
        f" leader epoch {row['epoch']}"
    ),
    expected=lambda row: f"a high watermark of at least {row['before_high_watermark']}",
    got=lambda row: f"high watermark {row['high_watermark']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
