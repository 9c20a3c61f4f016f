"""A high watermark is below the start of the log.

Why it matters
    Committed records that a broker does not have cannot be read anywhere: if it leads with such a high watermark,
    fetches fail as out of range.

How it is seen
    In the lines of one broker process: a follower drops its log, and starts a new one where its leader's starts. Every
    high watermark that it prints afterwards is at least that offset, until the log is truncated again: up to 2.7 it
    fetches from its high watermark; leaders, and followers since 2.6, print it. The line of a later truncation may be
    missing, so the finding is suspicious.

What a log cannot show
    The high watermark may have been wrong between two such lines: the answer to the next fetch corrects it.

What would make it certain
    The files of the log directory, copied while the broker is down: replication-offset-checkpoint has the high
    watermark of each log, and the first segment is named by the offset at which the log starts. No line prints both,
    and one missing line, of a later truncation, explains the difference.

Releases
    Up to 2.4.0 (KAFKA-9491), where high watermarks are printed: since 1.1. Later releases move the high watermark when
    the log is dropped.
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
        f" but started a new log at offset {row['starts_at']}"
    ),
    expected=lambda row: f"a high watermark of at least {row['starts_at']}",
    got=lambda row: f"high watermark {row['printed_high_watermark']}",
    bug="KAFKA-9491",
    issues=("KAFKA-9491",),
    remedy=until_copies_agree(KEEP_LOGS),
)
