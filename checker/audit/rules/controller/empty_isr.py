"""The ISR of a partition is empty.

Why it matters
    No replica is known to hold all committed records, so a clean election is no longer possible.

Releases
    Since 1.1 (KAFKA-5642) the controller always keeps the last member. Up to 1.0 it also removes the last member if
    unclean leader election is enabled (the default up to 0.10.2), which the log does not show: there, the finding is
    suspicious. It is also suspicious where a controller of 1.1 or later may have found the ISR empty: a controller of
    an older release can have left it that way before an upgrade.
"""

from __future__ import annotations

from .....model.expr import ite
from .....model.views import ISR_NOT_EMPTY
from .....specs.behaviours import behaviour
from ...fields import releases
from ...observe.controller.elections import election
from ...observe.controller.views import emptied
from ..conditions import behaviour_releases
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._words import where

RULE = Rule(
    code="KR202",
    name="empty-isr",
    observation="states",
    verdict=ite(
        ISR_NOT_EMPTY.condition,
        HELD,
        ite(releases.subset_of(behaviour_releases("KAFKA-5642")) & (election | emptied), ILLEGAL, SUSPICIOUS),
    ),
    message=lambda row: f"the ISR of {where(row)} is empty",
    expected=lambda row: "at least one member (the last one is always kept since 1.1)",
    got=lambda row: f"leader {row['leader']}, ISR []",
    issues=("KAFKA-5642",),
    remedy=Remedy(
        workaround="No clean election is possible. Start every broker that has a replica. If they do not elect"
        " a leader, an unclean election is left (unclean.leader.election.enable=true on the topic): records that"
        " only the lost replicas have are lost.",
        verify=STATE,
        look_for="an ISR that is not empty, and a leader that is in it",
        upgrade=f"{behaviour('KAFKA-5642').since} or later keep the last member of the ISR",
    ),
)
