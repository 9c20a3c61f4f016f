"""A follower cuts its log to another high watermark than the one from which it was to fetch.

Why it matters
    A follower that knows no leader epoch cuts its log to its own high watermark: what is above it may not be the
    leader's. To cut it elsewhere loses committed records, or keeps what no other replica has.

How it is seen
    In all that one broker wrote, in one process: the line that tells of the cut prints the high watermark, and the line
    with which the fetcher was added the offset that it begins with. They are the same. Two threads write these lines:
    the line of the cut may stand before the one that it belongs to. So it is illegal only if the cut is neither to what
    the line before tells nor to what the next one tells; where one of the two is not there, it is suspicious.

Releases
    Since 2.1.1.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import gap, high_watermark, process_known
from ...observe.broker.offsets import added_before, added_next, both_added
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import where


def _offsets(row: Row) -> str:
    """Where fetchers were added to begin, before and after the cut."""
    before, following = row["added_before"], row["added_next"]
    return str(before) if before == following else f"{before} before, or {following} after"


RULE = Rule(
    code="KR616",
    name="cut-to-other-high-watermark",
    observation="truncations_to_high_watermark",
    kind="replica",
    verdict=illegal_unless(
        either(high_watermark.eq(added_before), high_watermark.eq(added_next)),
        in_doubt=either(gap, ~process_known, ~both_added),
    ),
    message=lambda row: (
        f"{where(row)} cuts its log to high watermark {row['high_watermark']}, and was to fetch from {_offsets(row)}"
    ),
    expected=lambda row: f"a cut to {_offsets(row)}",
    got=lambda row: f"a cut to {row['high_watermark']}",
    compares=True,
    remedy=until_copies_agree(KEEP_LOGS),
)
