"""A leader writes another ISR than it said that it would.

Why it matters
    Who is in the ISR decides who may lead next. If what is written is not what the leader meant, a replica that lacks
    committed records can be elected.

How it is seen
    In all that one broker wrote, in one process: the line that tells that an ISR is written has the set of the line
    that told of the change, or of the request that the broker took. A line may be missing, so it is suspicious.

Releases
    2.4 to 2.6, up to 2.3 at TRACE. Later, the controller may write the change, and expansions print no line.
"""

from __future__ import annotations

from ...fields import isr, releases
from ...lines import ISR_WRITTEN, is_line
from ...observe.broker.taken import known_isr
from ..conditions import in_releases
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import ids, where

RULE = Rule(
    code="KR627",
    name="written-isr-differs",
    observation="isr_by_isr",
    kind="replica",
    compares=True,
    applies=is_line(ISR_WRITTEN) & releases.subset_of(in_releases("<=2.6")),
    verdict=suspicious_unless(isr.eq(known_isr)),
    message=lambda row: (
        f"{where(row)} wrote ISR {ids(row['isr'])}; the line before tells of ISR {ids(row['known_isr'])}"
    ),
    expected=lambda row: f"ISR {ids(row['known_isr'])}",
    got=lambda row: f"ISR {ids(row['isr'])}",
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="the ISR that the leader printed last",
    ),
)
