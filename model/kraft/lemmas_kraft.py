"""Lemmas about KRaft's controller and one partition.

They are kept in any number of changes. Sizes of sets are counted, so the number of brokers has to be given.
"""

from __future__ import annotations

from ..expr import both
from ..property import Property
from ..protocol import Model
from ..script import Lemmas
from ..views import ISR_WITHIN_REPLICAS, LEADER_IN_ISR
from .change import is_active
from .properties import PARTITION_IN_LOG, RECOVERING_ALONE
from .state import is_there, isr, leader, place, recovering, registration, request

OF_ALL = tuple(PARTITION_IN_LOG.of(each) for each in (LEADER_IN_ISR, ISR_WITHIN_REPLICAS))
LEADER_IS_ACTIVE = Property(
    "LeaderIsActive",
    "The leader is unfenced, and not in controlled shutdown.",
    (leader >= 0).implies(is_active(leader)),
)
NOBODY_BEFORE_CREATION = Property(
    "NobodyBeforeCreation",
    "A partition that does not exist has neither leader nor ISR.",
    (~is_there()).implies(both(isr.is_empty(), leader < 0, ~recovering)),
)
LEMMAS = (*OF_ALL, LEADER_IS_ACTIVE, NOBODY_BEFORE_CREATION, RECOVERING_ALONE)


def as_it_is(model: Model) -> Model:
    """Return the model unchanged: no lemma asks for history."""
    return model


SCRIPT = Lemmas(frozenset({registration, place, isr, leader, request}), LEMMAS, as_it_is, lambda model: (), {})
