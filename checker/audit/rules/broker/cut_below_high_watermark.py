"""A broker cuts its log below a high watermark that it knew.

Why it matters
    Records below a high watermark are committed. A replica that cuts them off follows a leader that does not have
    them: they are lost, unless another replica still leads with them.

How it is seen
    In all that one broker wrote, in one process: lines that print a high watermark, and the line that tells that the
    log is cut. It is suspicious, never illegal: after an unclean election such a cut is due, and what is lost was lost
    by that. Up to 0.10 followers cut to their own high watermark (KIP-101). From 2.8 to 3.4.0 a follower can take its
    own end for the high watermark before it cuts its log (KAFKA-14704): then nothing that was committed is lost.

Releases
    Since 1.1, as far as high watermarks are printed.
"""

from __future__ import annotations

from .....model.expr import field, ite
from .....model.sorts import Int
from ...fields import offset
from ..remedy import COPIES, KEEP_LOGS, Remedy
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS
from ._words import where

RULE = Rule(
    code="KR615",
    name="cut-below-high-watermark",
    observation="truncations",
    kind="replica",
    compares=True,
    verdict=ite(field("before_committed", Int()) <= offset, HELD, SUSPICIOUS),
    message=lambda row: (
        f"{where(row)} cuts its log to {row['offset']}, below the high watermark {row['before_committed']} that it"
        f" knew: {row['before_committed'] - row['offset']} records that were committed"
    ),
    expected=lambda row: f"a cut to {row['before_committed']} or above, or an unclean election",
    got=lambda row: f"a cut to {row['offset']}",
    issues=("KIP-101", "KAFKA-14704", "KAFKA-19474"),
    bug="KAFKA-14704",
    remedy=Remedy(
        workaround=f"{KEEP_LOGS} Read what the cut took away from a replica that still has it.",
        verify=COPIES,
        look_for="a lag of 0 for every replica",
    ),
)
