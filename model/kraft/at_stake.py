"""Properties that an operator asks for, and that no controller can promise: a fault may break each of them.

`isrproof whatif` searches for the faults that do; docs/whatif.md says how each is reported.
"""

from __future__ import annotations

from ..expr import const, exists, setting
from ..property import Property
from .properties import logged
from .state import MIN_ISR, UNREGISTERED, Registration, elr, is_there, isr, leader, r, registration
from .views import ELECTED_CLEANLY, ELECTION

LED = Property("PartitionIsLed", "A partition has a leader.", is_there().implies(leader >= 0))
ENOUGH_IN_SYNC = Property(
    "IsrIsEnough",
    "The ISR has no fewer members than min.insync.replicas.",
    is_there().implies(setting(MIN_ISR) <= isr.size()),
)


def at_stake(eligible: bool) -> tuple[Property, ...]:
    """Return the properties, the gravest first.

    Args:
        eligible: the model has eligible leader replicas.
    """
    trusted = isr.union(elr) if eligible else isr
    registered = registration[r].ne(const(UNREGISTERED, Registration))
    somebody = Property(
        "SomebodyIsEligible",
        "A registered broker is in the ISR or eligible: once it is back, it leads without loss.",
        is_there().implies(exists(r, trusted.contains(r) & registered)),
    )
    cleanly = Property(
        "ElectedCleanly",
        "An elected replica was in the ISR or eligible, or enters the ISR of others: it has all that was committed.",
        ELECTION.implies(ELECTED_CLEANLY),
        "step",
    )
    return logged(eligible).of(cleanly), somebody, LED, ENOUGH_IN_SYNC
