"""A broker truncates its log below its own high watermark: this copy of committed records is gone.

Why it matters
    A follower truncates what its leader lacks. Records below the high watermark are committed: every member of the ISR
    had them. If the new leader lacks them, they are lost in all copies.

How it is seen
    In the lines of one broker process: a log is truncated to an offset below the greatest high watermark that the
    process printed for it since the log was loaded, or last truncated. This happens after an unclean election, where
    that is enabled, so the finding is suspicious. Up to 0.10.2 (KIP-101) it can happen after any election; there, the
    offset at which a follower begins to fetch is its high watermark, to which it has just truncated its log.

What a log cannot show
    A high watermark that was never printed. Kafka has a line of its own, "Truncating ... below high watermark", but
    from 2.4 to 4.1 it is never printed: the high watermark is lowered first (KAFKA-19474). Truncating a copy that moves
    to another log directory (KIP-113) prints the same line: nothing is reported once the log is created or loaded a
    second time while the broker has it.

What would make it certain
    The election, and not the truncation. Since 0.11, if the leader that the broker follows was elected from the ISR,
    and ran all the time, the records cannot be lost legally, and KR661 is illegal at the line with which it begins. If
    it came from outside the ISR, the loss was allowed, and stays suspicious; up to 0.10 no line prints where a leader
    begins.

Releases
    All. Fetchers begin at the high watermark up to 0.10 and from 1.1 to 2.7; it is printed since 0.11. From 2.8 to
    3.4.0 the high watermark on a follower's disk is not used: it may be too high (KAFKA-14704).
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
    return f"{where(row)}: the log is cut to offset {row['offset']}, which drops at least {records(row)}"


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
