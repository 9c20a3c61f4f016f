"""Lemmas where brokers ask the controller before they stop: a broker that is shutting down is live, and leaves."""

from __future__ import annotations

from ..expr import Expr, both, false, forall, some
from ..property import Property
from .state import assignment, c, controller, followed, live, p, phase, replicas, shutting, to_move, topics, znode

_stops = phase[c].eq("stopping")
IS_SHUTTING_DOWN = Property(
    "IsShuttingDown",
    (
        "The broker whose followers a controller is stopping is live, as far as it knows, and shutting down; "
        "a stopped replica leads nothing, and belongs to a topic that the controller knows."
    ),
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


def stops_nothing_left_alone(left_alone: Expr) -> Property:
    """Return the lemma, which up to 2.0 fails where topics are deleted (KAFKA-6753)."""
    return Property(
        "StopsNothingLeftAlone",
        ("A replica that a controller stops for a controlled shutdown belongs to no topic that it is about to delete."),
        forall(c, forall(p, both(_stops, followed[c][p]).implies(~left_alone))),
    )


def lemmas(left_alone: Expr) -> tuple[Property, ...]:
    """Return the lemmas; `left_alone`: nothing is promised of a partition p: its topic is being deleted."""
    return (IS_SHUTTING_DOWN, *(() if left_alone is false else (stops_nothing_left_alone(left_alone),)))
