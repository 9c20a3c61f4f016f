"""The same where brokers ask the controller before they stop: who is shutting down is live, and stays not."""

from __future__ import annotations

from ..expr import both, forall
from ..property import Property
from ..script import Lemmas
from . import lemmas_control, lemmas_settled
from .state import c, followed, live, p, phase, shutting, to_move, znode

_stops = phase[c].eq("stopping")
IS_SHUTTING_DOWN = Property(
    "IsShuttingDown",
    "The broker whose followers a controller is stopping is live, as far as it knows, and shutting down; and what is "
    "stopped leads nothing.",
    both(
        forall(c, _stops.implies(to_move[c].subset_of(shutting[c]))),
        forall(c, _stops.implies(to_move[c].subset_of(live[c]))),
        forall(
            c,
            forall(
                p,
                both(_stops, znode[p].is_some(), followed[c][p]).implies(
                    ~znode[p].value["leader"].set().intersects(to_move[c])
                ),
            ),
        ),
    ),
)
LEMMAS = (*lemmas_control.LEMMAS, IS_SHUTTING_DOWN, *lemmas_settled.lemmas(live[c].minus(shutting[c])))

SCRIPT = Lemmas(
    lemmas_control.SCRIPT.fields | {shutting}, LEMMAS, lemmas_control.SCRIPT.with_history, lambda model: (), {}
)
