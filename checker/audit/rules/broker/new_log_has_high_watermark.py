"""A newly created log is loaded with a high watermark: the broker had records of the partition that are gone.

Why it matters
    A new log is empty, and nothing in it is committed. A high watermark above 0 comes from the previous log: the broker
    counts records as committed that it does not have.

How it is seen
    In the lines of one broker process: the line that a log was created, and the next line that prints the high
    watermark with which the partition's log is loaded. Kafka reads the high watermark from the checkpoint of the log
    directory, but limits it to the end of the log (Partition.createLog, Log.updateHighWatermark). Lines between the two
    may be missing, including a restart, so the finding is suspicious.

What a log cannot show
    The checkpoint of an existing log: no line prints it except the one with which the log is loaded.

What would make it certain
    The next line with which the replica begins to lead or to follow: leaders since 2.4.1, and followers since 2.6,
    print where the log ends beside the high watermark. If it ends below, KR612 is illegal on that line alone.

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
    message=lambda row: f"{where(row)} created a new log, and loads it with high watermark {row['high_watermark']}",
    expected=lambda row: "high watermark 0",
    got=lambda row: f"high watermark {row['high_watermark']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
