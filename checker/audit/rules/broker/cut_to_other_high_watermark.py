"""A follower truncates its log to a different high watermark than the one it was to fetch from.

Why it matters
    A follower that knows no leader epoch truncates its log to its own high watermark: records above it may not be the
    leader's. Truncating elsewhere loses committed records, or keeps records that no other replica has.

How it is seen
    In the lines of one broker process: the truncation's line prints the high watermark, and the line that added the
    fetcher prints its first offset. They are the same. Two threads write these lines, so the truncation's line may
    stand before the line it belongs to. The finding is illegal only if the truncation matches neither the line before
    nor the next one; where one of the two is missing, it is suspicious.

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
    """Return the offsets at which fetchers were to begin, before and after the cut."""
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
        f"{where(row)} cuts its log to high watermark {row['high_watermark']}, but was to fetch from {_offsets(row)}"
    ),
    expected=lambda row: f"a cut to {_offsets(row)}",
    got=lambda row: f"a cut to {row['high_watermark']}",
    compares=True,
    remedy=until_copies_agree(KEEP_LOGS),
)
