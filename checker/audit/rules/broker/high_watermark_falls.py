"""The high watermark of a leader falls in one leader epoch.

Why it matters
    What was committed stays committed. A leader that takes its high watermark back no longer vouches for records that
    it has shown to consumers.

How it is seen
    In all that one broker wrote, in one process and leader epoch: the line with which it begins to lead prints its high
    watermark, and so does each line with which its ISR shrinks.

Releases
    Since 2.4.1; two lines of a shrinking ISR since 2.2. In some releases of 2.7 and 2.8 a leader counts a fetch that
    diverges as progress (KAFKA-13141): its high watermark is too large, and the next leader's smaller.
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
