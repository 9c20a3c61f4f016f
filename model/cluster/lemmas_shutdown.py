"""The same where brokers ask the controller before they stop: who is shutting down is live, and stays not."""

from __future__ import annotations

from ..expr import both, forall, some
from ..property import Property
from ..script import Lemmas
from . import lemmas_control, lemmas_settled
from .state import assignment, c, controller, followed, live, p, phase, replicas, shutting, to_move, topics, znode

_stops = phase[c].eq("stopping")
IS_SHUTTING_DOWN = Property(
    "IsShuttingDown",
    "The broker whose followers a controller is stopping is live, as far as it knows, and shutting down; and what is "
    "stopped leads nothing, and is of a topic that it knows.",
    both(
        forall(c, _stops.implies(to_move[c].subset_of(shutting[c]))),
        forall(c, _stops.implies(to_move[c].subset_of(live[c]))),
        forall(
            c,
            forall(
                p,
                both(controller.eq(some(c)), _stops, znode[p].is_some(), followed[c][p]).implies(
                    ~znode[p].value["leader"].set().intersects(to_move[c])
                ),
            ),
        ),
        forall(
            c,
            forall(
                p,
                both(_stops, followed[c][p]).implies(
                    both(topics[c].contains(p), to_move[c].subset_of(replicas(assignment[p])))
                ),
            ),
        ),
    ),
)
LEMMAS = (
    *lemmas_control.LEMMAS,
    IS_SHUTTING_DOWN,
    *lemmas_settled.lemmas(lemmas_settled.Terms(online=live[c].minus(shutting[c]))),
)

SCRIPT = Lemmas(
    lemmas_control.SCRIPT.fields | {shutting}, LEMMAS, lemmas_control.SCRIPT.with_history, lambda model: (), {}
)
