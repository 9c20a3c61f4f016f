"""A new leader is from neither the ISR nor the ELR, and the record does not mark the election as unclean.

Why it matters
    After an unclean election acknowledged records may be lost. The controller reports that by the mark RECOVERING; an
    unclean election without it is a loss that nobody notices.

How it is seen
    A new leader was in the ISR just before; or, with an empty ISR, among the eligible leader replicas; or the same
    record brings it into an ISR with others, or ends a reassignment; or it is alone in its ISR and the partition is
    RECOVERING. Below metadata.version 3 (3.2-IV0) there is no such mark.

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import both, either
from .....model.kraft.views import UNCLEAN_MARKED
from .....specs.metadata.levels import LEADER_RECOVERY
from ...observe.compared import was
from ...sources.metadata.columns import created, isr, leader, level, named
from ..rule import Rule
from ._eligible import by_eligible
from ._remedies import RECORDS_MAY_BE_LOST
from ._words import broken_unless, ids, where

_marked = by_eligible(UNCLEAN_MARKED.condition)
_before_marks = both(isr.eq(leader.set()), level < LEADER_RECOVERY)

RULE = Rule(
    code="KR508",
    name="unclean-election-unmarked",
    observation="metadata_partitions",
    applies=both(named, leader.is_some(), ~created, leader.ne(was(leader))),
    verdict=broken_unless(either(_marked, _before_marks)),
    message=lambda row: f"{where(row)} gets leader {row['leader']} from outside its ISR",
    expected=lambda row: (
        f"a leader of ISR {ids(row['before_isr'])} or ELR {ids(row['before_elr'])}, or one alone, RECOVERING"
    ),
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}{', RECOVERING' * row['recovering']}",
    issues=("KIP-704", "KIP-966"),
    remedy=RECORDS_MAY_BE_LOST,
)
