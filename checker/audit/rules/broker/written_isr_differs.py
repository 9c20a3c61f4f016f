"""A leader writes a different ISR than it announced.

Why it matters
    The members of the ISR may lead next. If the written set is not the one that the leader intended, a replica that
    lacks committed records can be elected.

How it is seen
    In the lines of one broker process: the line that an ISR is written has the set of the line that announced the
    change just before. A line may be missing, so the finding is suspicious.

What would make it certain
    A written version that is the known one plus 1, and no line that the announced write failed: then one write took
    place, and it was the announced one. Otherwise the line that announces a second change may be missing.

Releases
    2.4 to 2.7, up to 2.3 at TRACE, in the wording of leaders that write to ZooKeeper themselves. Since 2.7 the
    controller may write the change, and expansions print no line.
"""

from __future__ import annotations

from ...fields import isr
from ...lines import ISR_WRITTEN_BY_LEADER, is_line
from ...observe.broker.taken import announced, known_isr
from ...table.protocol import Row
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import ids, where


def _before(row: Row) -> str:
    return f"{'a change to' if row['announced'] else 'no change, but of'} ISR {ids(row['known_isr'])}"


RULE = Rule(
    code="KR627",
    name="written-isr-differs",
    observation="isr_by_isr",
    kind="replica",
    compares=True,
    applies=is_line(ISR_WRITTEN_BY_LEADER),
    verdict=suspicious_unless(announced & isr.eq(known_isr)),
    message=lambda row: f"{where(row)} wrote ISR {ids(row['isr'])}; the line before shows {_before(row)}",
    expected=lambda row: f"ISR {ids(row['known_isr'])}" if row["announced"] else "a line that announces the change",
    got=lambda row: f"ISR {ids(row['isr'])}",
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="the ISR that the leader printed last",
    ),
)
