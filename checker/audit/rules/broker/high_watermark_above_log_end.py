"""A broker prints a high watermark beyond the end of its log.

Why it matters
    Records below the high watermark are committed: consumers read them, and producers with acks=all got an
    acknowledgement. A leader whose log ends below the high watermark has lost some of them, or counts records that it
    never had.

How it is seen
    On the line itself, which prints both.

Releases
    Leaders since 2.4.1, followers since 2.6, shrinking ISRs since 2.2.
"""

from __future__ import annotations

from ...fields import high_watermark
from ...observe.broker.offsets import end
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR612",
    name="high-watermark-above-log-end",
    observation="high_watermarks",
    kind="replica",
    verdict=illegal_unless(high_watermark <= end),
    message=lambda row: f"{where(row)} has high watermark {row['high_watermark']}, but its log ends at {row['end']}",
    expected=lambda row: f"a high watermark of at most {row['end']}",
    got=lambda row: f"high watermark {row['high_watermark']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
