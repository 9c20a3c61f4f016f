"""Lemmas that remain where brokers crash: enough for the control plane and for log matching.

A crashed broker has lost the end of its log and follows nobody in the epoch in which it came back. So the ISR of an
earlier epoch may have members without the committed records, and where the last member stays in the ISR after a crash
(before KIP-966) so may the ISR of today: then a committed record is lost.
"""

from __future__ import annotations

from ..expr import both, forall
from ..property import Property
from ..protocol import Model
from ..script import Lemmas
from . import lemmas
from .kip966 import crashes
from .lemmas import latest_isr, one, requested_isr, requested_leader
from .state import end, local_epoch, local_isr, local_leader, presumes_leadership

LOCAL_IS_REQUESTED = Property(
    "LocalIsRequested",
    (
        "A replica that has a leader believes the request of its epoch; a presumed leader knows the latest "
        "ISR of its epoch. A replica that got no request knows nothing and has no records."
    ),
    forall(
        one,
        both(
            local_epoch[one].eq(-1).implies(local_leader[one].is_none() & end(one).eq(0) & local_isr[one].is_empty()),
            local_leader[one].is_some().implies(local_leader[one].eq(requested_leader(local_epoch[one]))),
            presumes_leadership(one).implies(local_isr[one].eq(latest_isr[local_epoch[one]])),
            (local_leader[one].is_some() & ~presumes_leadership(one)).implies(
                local_isr[one].eq(requested_isr(local_epoch[one]))
            ),
        ),
    ),
)

_CHANGED = {LOCAL_IS_REQUESTED.name: LOCAL_IS_REQUESTED}
LEMMAS: tuple[Property, ...] = tuple(
    _CHANGED.get(each.name, each) for each in lemmas.LEMMAS if each is not lemmas.SOMEBODY_LED
)
SPARE = lemmas.SPARE


def with_history(model: Model) -> Model:
    """A model with crashes that remembers the latest ISR of each epoch."""
    return lemmas.with_history(model)


SCRIPT = Lemmas(lemmas.SCRIPT.fields | {crashes}, LEMMAS, with_history, lemmas.goals, SPARE)
