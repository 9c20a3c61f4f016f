"""A high watermark is below where the log starts.

Why it matters
    Committed records that a broker does not have can be read from nowhere: if it leads with such a high watermark,
    fetches fail as out of range.

How it is seen
    In all that one broker wrote, in one process: a follower drops its log, and begins it anew where its leader's
    starts. What it tells afterwards of its high watermark is that offset or above, until the log is cut again: up to
    2.7 it fetches from its high watermark; leaders, and followers since 2.6, print it. The line of a later cut may be
    missing, so it is suspicious.

What a log cannot show
    Between two such lines the high watermark may have been wrong: the answer to the next fetch puts it right.

Releases
    Up to 2.4.0 (KAFKA-9491), where high watermarks are told: since 1.1. Later releases move it when the log is dropped.
"""

from __future__ import annotations

from ...observe.broker.offsets import printed_high_watermark, starts_at
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR643",
    name="high-watermark-below-log-start",
    observation="high_watermarks_of_begun_logs",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(starts_at <= printed_high_watermark),
    message=lambda row: (
        f"{where(row)} has high watermark {row['printed_high_watermark']},"
        f" and began its log anew at offset {row['starts_at']}"
    ),
    expected=lambda row: f"a high watermark of at least {row['starts_at']}",
    got=lambda row: f"high watermark {row['printed_high_watermark']}",
    bug="KAFKA-9491",
    issues=("KAFKA-9491",),
    remedy=until_copies_agree(KEEP_LOGS),
)
