"""A leader is elected uncleanly: it was neither in the ISR nor eligible.

Why it matters
    The new leader may lack records that were acknowledged to producers, and all other replicas truncate their logs to
    match its log.

How it is seen
    The record gives leadership to a broker that was not in the ISR just before, nor among the eligible leader replicas,
    leaves it alone in the ISR, and marks the partition RECOVERING (below metadata.version 3, which has no such mark,
    being alone is enough). Where a reassignment is cancelled while only replicas that it added are in the ISR, the
    first remaining replica becomes the ISR, without a mark (PartitionReassignmentRevert). The election was allowed, by
    an administrator's request, by unclean.leader.election.enable, or for the last known leader (KIP-966), so the
    finding is suspicious. An election without the mark is KR508, one of a broker that is not active KR524 or KR507.

What a log cannot show
    The lost records: brokers' lines may show them (KR661).

What would make it certain
    Proof that nothing allowed the election. Config records, and "KafkaConfig values" in the controllers' server.log,
    show unclean.leader.election.enable. But no record and no line of a controller shows an administrator's request:
    only the request log does (kafka.request.logger at DEBUG, ElectLeaders).

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import both, either
from .....model.kraft.views import ELECTED_CLEANLY, REVERTED_UNCLEANLY
from .....specs.metadata.levels import LEADER_RECOVERY
from ...observe.compared import was
from ...sources.metadata.columns import created, inactive, isr, leader, level, named, recovering
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._eligible import by_eligible
from ._remedies import RECORDS_MAY_BE_LOST
from ._words import ids, where

_elected = both(named, leader.is_some(), ~created, leader.ne(was(leader)))
_alone = both(isr.eq(leader.set()), either(recovering, level < LEADER_RECOVERY))
_reverted = by_eligible(REVERTED_UNCLEANLY)


def _is_reverted(row: Row) -> bool:
    return bool(row["before_adding"]) and not {*row["before_adding"]} & {*row["replicas"]} and not row["recovering"]


def _message(row: Row) -> str:
    if _is_reverted(row):
        return (
            f"the reassignment of {where(row)} is cancelled, and its ISR becomes {ids(row['isr'])}, not a member before"
        )
    return f"{where(row)} gets leader {row['leader']} uncleanly: its ISR was {ids(row['before_isr'])}"


def _got(row: Row) -> str:
    if _is_reverted(row):
        return f"ISR {ids(row['isr'])}, replicas {ids(row['replicas'])}"
    return f"leader {row['leader']}, alone in its ISR{', RECOVERING' * row['recovering']}"


RULE = Rule(
    code="KR551",
    name="unclean-election",
    observation="metadata_partitions",
    applies=either(both(_elected, _alone, ~leader.set().intersects(inactive)), _reverted),
    verdict=suspicious_unless(both(~_reverted, by_eligible(ELECTED_CLEANLY))),
    message=_message,
    expected=lambda row: f"a leader of ISR {ids(row['before_isr'])} or ELR {ids(row['before_elr'])}",
    got=_got,
    issues=("KIP-704", "KIP-966"),
    remedy=RECORDS_MAY_BE_LOST,
)
