"""A log is truncated to a different offset than its fetcher announced, or not truncated though it is longer.

Why it matters
    A follower truncates its log to the point where its leader's diverges. If it is truncated elsewhere, committed
    records are lost, or records remain that no other replica has.

How it is seen
    In the lines of one broker process: the fetcher announces the offset to which a log is truncated, and the log's own
    line follows with the same offset. One thread writes both. The line of a truncation that failed, or had another
    reason, may be missing in between, so the finding is suspicious. A line that says that there is nothing to truncate
    prints the last offset of the log: if that is not below the target offset, the line contradicts itself.

Releases
    Announcements: since 2.1.1 for truncations to the high watermark, since 3.1 all of a follower that asks where epochs
    end; from 2.0 to 2.3 truncations below the high watermark. Lines that there is nothing to truncate: since 0.11.
"""

from __future__ import annotations

from .....model.expr import ite
from ...observe.broker.cuts import cut_needed, cut_unlike
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._words import where


def _message(row: Row) -> str:
    if row["cut_needed"]:
        return f"{where(row)} does not cut its log to {row['offset']}, though its last offset is {row['last_offset']}"
    return f"{where(row)} cuts its log to {row['offset']}; its fetcher announced {row['announced']}"


RULE = Rule(
    code="KR615",
    name="cut-differs-from-announced",
    former_names=("cut-unlike-announced",),
    observation="cuts_announced",
    kind="replica",
    compares=True,
    verdict=ite(cut_needed, ILLEGAL, ite(cut_unlike, SUSPICIOUS, HELD)),
    message=_message,
    expected=lambda row: f"a cut to {row['offset']}" if row["cut_needed"] else f"a cut to {row['announced']}",
    got=lambda row: "no cut" if row["cut_needed"] else f"a cut to {row['offset']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
