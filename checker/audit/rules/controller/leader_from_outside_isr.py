"""A new leader comes from outside the ISR that was committed just before.

Why it matters
    Such an election is *unclean*: records that the old ISR had committed and the new leader has not are lost. It is
    legal only with unclean.leader.election.enable or an explicit electLeaders(UNCLEAN), which the log does not show;
    then the new leader is alone in the ISR. If it is not alone, no Kafka election can have written this.

Releases
    All that print the version of the znode (1.0 and later): only two consecutive versions can be compared, because a
    leader may expand the ISR without a line in the controller's log.
"""

from __future__ import annotations

from .....model.expr import ite
from .....model.views import LEADER_FROM_ISR, UNCLEAN_LEADER_ALONE_IN_ISR
from ...fields import gap
from ...observe.compared import next_version
from ..conditions import step
from ..remedy import BEFORE_2_2, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._words import ids, state, where

RULE = Rule(
    code="KR204",
    name="leader-from-outside-isr",
    observation="versions",
    applies=next_version,
    verdict=ite(
        step(LEADER_FROM_ISR.condition),
        HELD,
        ite(step(UNCLEAN_LEADER_ALONE_IN_ISR.condition) | gap, SUSPICIOUS, ILLEGAL),
    ),
    message=lambda row: f"{where(row)} got leader {row['leader']} from outside its ISR",
    expected=lambda row: f"a leader from {ids(row['before_isr'])}",
    got=lambda row: f"{state(row)} after {state(row, 'before_')}",
    releases=">=1.0",
    remedy=Remedy(
        workaround="Compare the logs of the replicas that were in the ISR with the new leader's"
        " (kafka-dump-log.sh): records that only they have are lost. Set unclean.leader.election.enable=false"
        " where records matter more than availability.",
        verify=TOPIC,
        look_for="an Isr with more than one member, and no config unclean.leader.election.enable=true",
        older=BEFORE_2_2,
    ),
)
