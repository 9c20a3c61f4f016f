"""A log is cut to another offset than the one that its fetcher announced, or not cut though it is longer.

Why it matters
    A follower cuts its log to where its leader's parts from it. If it is cut elsewhere, committed records are lost, or
    records stay that no other replica has.

How it is seen
    In what one broker wrote, in one process: the fetcher announces to which offset a log is cut, and the log's own line
    comes next, with the same offset. One thread writes both; the line of a cut that failed, or was made for another
    reason, may be missing in between, so it is suspicious. A line that says that there is nothing to cut prints the
    last offset of the log: if that is not below the offset of the cut, the line contradicts itself.

Releases
    What is announced: since 2.1.1 cuts to the high watermark, since 3.1 all of a follower that asks where epochs end;
    from 2.0 to 2.3 cuts below the high watermark. That there is nothing to cut: since 0.11.
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
    name="cut-unlike-announced",
    observation="cuts_announced",
    kind="replica",
    compares=True,
    verdict=ite(cut_needed, ILLEGAL, ite(cut_unlike, SUSPICIOUS, HELD)),
    message=_message,
    expected=lambda row: f"a cut to {row['offset']}" if row["cut_needed"] else f"a cut to {row['announced']}",
    got=lambda row: "no cut" if row["cut_needed"] else f"a cut to {row['offset']}",
    remedy=until_copies_agree(KEEP_LOGS),
)
