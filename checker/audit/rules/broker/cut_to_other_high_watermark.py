"""A follower cuts its log to another high watermark than the one from which it was to fetch.

Why it matters
    A follower that knows no leader epoch cuts its log to its own high watermark: what is above it may not be the
    leader's. To cut it elsewhere loses committed records, or keeps what no other replica has.

How it is seen
    In all that one broker wrote, in one process: the line that tells of the cut prints the high watermark, and the line
    with which the fetcher was added the offset that it begins with. They are the same.

Releases
    Since 2.1.1.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import gap, high_watermark, offset, process_known
from ...observe.compared import was
from ..remedy import COPIES, KEEP_LOGS, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where

RULE = Rule(
    code="KR616",
    name="cut-to-other-high-watermark",
    observation="truncations_to_high_watermark",
    kind="replica",
    verdict=illegal_unless(high_watermark.eq(was(offset)), in_doubt=either(gap, ~process_known)),
    message=lambda row: (
        f"{where(row)} cuts its log to high watermark {row['high_watermark']}, and was to fetch from"
        f" {row['before_offset']}"
    ),
    expected=lambda row: f"a cut to {row['before_offset']}",
    got=lambda row: f"a cut to {row['high_watermark']}",
    remedy=Remedy(workaround=KEEP_LOGS, verify=COPIES, look_for="a lag of 0 for every replica"),
)
