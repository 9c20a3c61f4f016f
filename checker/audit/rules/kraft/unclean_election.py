"""A leader is elected uncleanly: it was neither in the ISR nor eligible.

Why it matters
    The new leader may lack records that were acknowledged to producers, and all other replicas cut their logs to its.

How it is seen
    The record makes a broker the leader that was not in the ISR just before, nor among the eligible leader replicas,
    leaves it alone in the ISR, and marks the partition RECOVERING (below metadata.version 3, which has no such mark,
    that it is alone is enough). It was allowed, by an administrator's request, by unclean.leader.election.enable, or as
    the last known leader (KIP-966): so it is suspicious. One that is not marked is KR508, one of a broker that is not
    active KR524 or KR507.

What a log cannot show
    Which records are gone: brokers' lines may (KR661).

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import both, const, either, ite, substitute
from .....model.kraft.views import ELECTED_CLEANLY
from .....specs.metadata.levels import LEADER_RECOVERY
from ...observe.compared import was
from ...observe.kraft.columns import created, elr, elr_on, inactive, isr, leader, level, named, recovering
from ..conditions import step
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._remedies import RECORDS_MAY_BE_LOST
from ._words import ids, where

_eligible = ite(elr_on, was(elr), const(frozenset(), elr.sort))
_elected = both(named, leader.is_some(), ~created, leader.ne(was(leader)))
_alone = both(isr.eq(leader.set()), either(recovering, level < LEADER_RECOVERY))

RULE = Rule(
    code="KR551",
    name="unclean-election",
    observation="metadata_partitions",
    applies=both(_elected, _alone, ~leader.set().intersects(inactive)),
    verdict=suspicious_unless(substitute(step(ELECTED_CLEANLY), {was(elr): _eligible})),
    message=lambda row: f"{where(row)} gets leader {row['leader']} uncleanly: its ISR was {ids(row['before_isr'])}",
    expected=lambda row: f"a leader of ISR {ids(row['before_isr'])} or ELR {ids(row['before_elr'])}",
    got=lambda row: f"leader {row['leader']}, alone in its ISR{', RECOVERING' * row['recovering']}",
    issues=("KIP-704", "KIP-966"),
    remedy=RECORDS_MAY_BE_LOST,
)
