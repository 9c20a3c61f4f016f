"""A log that was just made is loaded with a high watermark: its broker had records of the partition that are gone.

Why it matters
    A new log is empty, and nothing in it is committed. A high watermark of it comes of the log before: the broker takes
    for committed what it does not have.

How it is seen
    In all that one broker wrote, in one process: the line that says that a log was created, and the next one that says
    with which high watermark the partition's log is loaded. Kafka takes the high watermark from the checkpoint of its
    log directory, but never one beyond the end of the log (Partition.createLog, Log.updateHighWatermark). Lines between
    the two may be missing, with a restart among them: so it is suspicious.

What a log cannot show
    What the checkpoint says of a log that is there: no line tells it but the one with which the log is loaded.

Releases
    All that print the high watermark with which a log is loaded: since 0.11.
"""

from __future__ import annotations

from ...fields import high_watermark
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR665",
    name="new-log-has-high-watermark",
    observation="new_logs",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(high_watermark.eq(0)),
    message=lambda row: f"{where(row)} made a new log, and loads it with high watermark {row['high_watermark']}",
    expected=lambda row: "high watermark 0",
    got=lambda row: f"high watermark {row['high_watermark']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
