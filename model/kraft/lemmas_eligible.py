"""Further lemmas, where eligible leader replicas are on (since 4.0) and nothing is reassigned."""

from __future__ import annotations

from ..expr import both, either
from ..property import Property
from ..script import Lemmas
from .lemmas_kraft import LEMMAS, as_it_is
from .lemmas_kraft import SCRIPT as ALL
from .properties import ELR_APART, ELR_SMALL, FENCED_OUT
from .state import elr, is_there, last_known, members, place

NOBODY_ELIGIBLE_BEFORE_CREATION = Property(
    "NobodyEligibleBeforeCreation",
    "A partition that does not exist has no eligible replica and no last known leader.",
    (~is_there()).implies(both(elr.is_empty(), last_known < 0)),
)
ELR_IS_OF_REPLICAS = Property(
    "ElrIsOfReplicas",
    "Eligible replicas and the last known leader are replicas, if no replica is ever reassigned.",
    elr.subset_of(members(place)) & either(last_known < 0, members(place).contains(last_known)),
)
SCRIPT = Lemmas(
    ALL.fields | {elr, last_known},
    (*LEMMAS, NOBODY_ELIGIBLE_BEFORE_CREATION, ELR_IS_OF_REPLICAS, FENCED_OUT, ELR_APART, ELR_SMALL),
    as_it_is,
    lambda model: (),
    {},
)
