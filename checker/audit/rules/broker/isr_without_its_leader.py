"""A leader is missing from its own ISR, or removes itself from it.

Why it matters
    A leader has every committed record, so it is always in its ISR. If it is not, the next leader is elected from the
    others, and records that only this one has are lost.

How it is seen
    On the line itself, which prints the set; the leader is the broker that writes the line. A leader writes such a line
    when it changes its ISR, has changed it, or begins to lead.

Releases
    All; leaders print the ISR with which they begin since 2.6.
"""

from __future__ import annotations

from .....model.views import LEADER_IN_ISR
from ...lines import LEADS
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where


def _does(row: Row) -> str:
    return "begins to lead with the ISR" if row["row"] in LEADS else "changes the ISR to"


RULE = Rule(
    code="KR606",
    name="isr-without-its-leader",
    observation="isr_lines",
    kind="replica",
    verdict=illegal_unless(LEADER_IN_ISR.condition),
    message=lambda row: f"{where(row)} {_does(row)} {ids(row['isr'])}, without itself",
    expected=lambda row: f"broker {row['broker']} in the ISR",
    got=lambda row: ids(row["isr"]),
    remedy=until_copies_agree(KEEP_LOGS),
)
