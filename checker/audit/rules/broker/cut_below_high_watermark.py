"""A broker cuts its log below its own high watermark: this copy of committed records is gone.

Why it matters
    A follower cuts off what its leader lacks. Records below the high watermark are committed: every member of the ISR
    had them. If the new leader lacks them, they are lost in all copies.

How it is seen
    In one process of a broker: a log is cut to an offset below the greatest high watermark that the process printed of
    it before, since the log was loaded, or cut the last time. It happens after an unclean election, where that is
    enabled; so it is suspicious. Up to 0.10.2 (KIP-101) it can happen after any election; the offset at which a
    follower begins to fetch is its high watermark there, to which it has just cut its log.

What a log cannot show
    A high watermark that was never printed. Kafka has a line of its own, "Truncating ... below high watermark", but
    from 2.4 to 4.1 it is never printed: the high watermark is lowered first (KAFKA-19474). A copy that moves to another
    log directory (KIP-113) is cut with the same line: from where the log is made, or loaded, a second time while the
    broker has it, nothing is said.

Releases
    All: up to 0.10 and from 1.1 to 2.7 fetchers begin at the high watermark, since 0.11 it is printed. From 2.8 to
    3.4.0 what a follower's disk has is not taken: it may be too high (KAFKA-14704).
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import high_watermark, offset
from ...observe.compared import was
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS
from ._lost import REMEDY, lost, records
from ._words import where


def _message(row: Row) -> str:
    return f"{where(row)}: the log is cut to offset {row['offset']}, which drops {records(row)} at least"


RULE = Rule(
    code="KR662",
    name="cut-below-high-watermark",
    observation="truncations",
    kind="replica",
    verdict=ite(was(high_watermark) <= offset, HELD, SUSPICIOUS),
    message=_message,
    cause=lambda row: f"broker {row['broker']} cut logs below their high watermarks",
    expected=lambda row: f"no cut below the high watermark {row['before_high_watermark']}",
    got=lambda row: f"a cut to offset {row['offset']}",
    issues=("KIP-101", "KAFKA-19474"),
    follows_from=("KR661",),
    lost=lost,
    remedy=REMEDY,
)
