"""A broker reports that it truncates a log below its high watermark: this copy of committed records is gone.

Why it matters
    Records below the high watermark are committed: every member of the ISR had them. A follower truncates them because
    its leader lacks them: they are lost in all copies.

How it is seen
    On a line that prints both offsets. From 2.0 to 2.3 Kafka warns before such a truncation. From 2.4 to 4.1 that line
    is never printed, because the high watermark is lowered first (KAFKA-19474); but a line then reports that the high
    watermark falls, right after the truncation and to the same offset. 4.2 prints both, which is one finding, at the
    warning. This happens after an unclean election, where that is enabled, so the finding is suspicious.

What a log cannot show
    From 2.8 to 3.4.0 a follower's high watermark may be raised before its log is truncated, so that it falls though no
    committed record is gone (KAFKA-14704): there, KR662 checks what was printed before.

What would make it certain
    The election, and not the truncation. If the leader that the broker follows was elected from the ISR, and ran all
    the time, the records cannot be lost legally, and KR661 is illegal at the line with which it begins. If it came from
    outside the ISR, the loss was allowed, and stays suspicious.

Releases
    2.0 to 2.3, and since 3.4.1.
"""

from __future__ import annotations

from .....traces.timeline import Lost
from ...observe.broker.fetching import printed_below
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._lost import REMEDY
from ._words import where


def _lost(row: Row) -> Lost:
    return Lost(row["topic"], row["partition"], row["offset"], row["high_watermark"])


RULE = Rule(
    code="KR663",
    name="reported-cut-below-high-watermark",
    former_names=("tells-cut-below-high-watermark",),
    observation="cuts_below",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(~printed_below),
    message=lambda row: (
        f"{where(row)}: the log is cut to offset {row['offset']}, below its high watermark {row['high_watermark']}"
    ),
    cause=lambda row: f"broker {row['broker']} reports that it cut logs below their high watermarks",
    expected=lambda row: f"no cut below the high watermark {row['high_watermark']}",
    got=lambda row: f"a cut to offset {row['offset']}",
    issues=("KAFKA-19474", "KAFKA-14704"),
    follows_from=("KR661",),
    lost=_lost,
    remedy=REMEDY,
)
