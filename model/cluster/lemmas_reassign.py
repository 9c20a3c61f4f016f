"""Lemmas where partitions get other replicas: an added broker has a replica, and a dropped one no longer follows."""

from __future__ import annotations

from ..expr import both, either, forall, ite, some
from ..property import Property
from .controller import unknown_is
from .lemmas_settled import GOES_OFFLINE, HAS_READ, KNOWS, STATE, of_partitions, of_replicas
from .state import (
    NO_BROKERS,
    PLACES,
    REASSIGNMENT,
    assignment,
    b,
    c,
    created,
    finishing,
    had,
    hosts,
    one_of,
    origin,
    p,
    phase,
    reassigning,
    replicas,
    to_move,
    topics,
    znode,
)

_held = znode[p].value
_target, _had = replicas(assignment[p]), replicas(had(p))
HAS, _ends = hosts((REASSIGNMENT,), p).contains(b), finishing[c].eq(some(p))
_is_added = both(origin[p].is_some(), _target.contains(b), ~_had.contains(b))
_begins = both(one_of(phase[c], ("reassigning", "finishing")), reassigning[c].contains(p), ~_ends)
_unknown = STATE.eq(unknown_is("replica"))
UNSETTLED = either(
    both(_is_added, ~_ends, STATE.eq("NewReplica")),
    both(_is_added, _begins, _unknown, ~_held["isr"].contains(b)),
    both(_ends, ~_target.contains(b)),
)
HAS_A_REPLICA = Property(
    "HasAReplica",
    "An existing partition has a replica; one that is being reassigned has a state znode.",
    both(
        forall(p, created.contains(p).implies(assignment[p][PLACES[0]].is_some())),
        forall(p, origin[p].is_some().implies(znode[p].is_some())),
    ),
)
ISR_IS_OF_HOSTS = Property(
    "IsrIsOfHosts",
    "In every state znode the ISR is among the replicas that the partition has, or is to have.",
    forall(p, forall(b, both(znode[p].is_some(), _held["isr"].contains(b)).implies(HAS))),
)
ENDS_WHAT_GOES_ON = Property(
    "EndsWhatGoesOn",
    (
        "A controller resumes ongoing reassignments, and ends one of them at a time: the brokers that it "
        "then moves are to lose their replica."
    ),
    both(
        of_partitions(reassigning[c].contains(p), origin[p].is_some()),
        of_partitions(_ends, origin[p].is_some()),
        of_partitions(_ends, topics[c].contains(p)),
        forall(c, finishing[c].is_some().eq(phase[c].eq("finishing"))),
        of_replicas(both(_ends, to_move[c].contains(b)), both(_had.contains(b), ~_target.contains(b))),
        forall(c, (~KNOWS).implies(to_move[c].is_empty())),
        forall(c, (~KNOWS).implies(reassigning[c].is_empty())),
    ),
)
LED_BY_WHO_STAYS = Property(
    "LedByWhoStays",
    (
        "While a reassignment ends, only a target replica leads. The ISR contains target replicas and "
        "replicas to be dropped, and none of the latter if the partition has no leader."
    ),
    both(
        of_partitions(both(HAS_READ, _ends), _held["leader"].set().subset_of(_target)),
        of_replicas(
            both(HAS_READ, _ends, _held["isr"].contains(b)),
            either(_target.contains(b), both(to_move[c].contains(b), _held["leader"].is_some())),
        ),
    ),
)
DROPPED_STEP_BY_STEP = Property(
    "DroppedStepByStep",
    (
        "A controller has, for each replica to be dropped, a state from which it may go offline; then it is "
        "offline until all are dropped, and then unknown, like every replica that does not exist."
    ),
    both(
        of_replicas(both(KNOWS, topics[c].contains(p), ~HAS), _unknown),
        of_replicas(both(KNOWS, _ends, to_move[c].contains(b)), one_of(STATE, GOES_OFFLINE)),
        of_replicas(
            both(KNOWS, _ends, _had.contains(b), ~_target.contains(b), ~to_move[c].contains(b)),
            either(_unknown, both(~to_move[c].is_empty(), STATE.eq("OfflineReplica"))),
        ),
        of_replicas(~KNOWS, _unknown),
    ),
)
INELIGIBLE_UNTIL_MOVED = Property(
    "IneligibleUntilMoved",
    "A replica is ineligible for deletion only while a controller starts, and its broker is to be moved.",
    of_replicas(
        both(KNOWS, STATE.eq("ReplicaDeletionIneligible")), both(phase[c].eq("starting"), to_move[c].contains(b))
    ),
)
DEAD_TO_MOVE = ite(phase[c].eq("finishing"), NO_BROKERS, to_move[c])
LEMMAS = (
    HAS_A_REPLICA,
    ISR_IS_OF_HOSTS,
    ENDS_WHAT_GOES_ON,
    LED_BY_WHO_STAYS,
    DROPPED_STEP_BY_STEP,
    INELIGIBLE_UNTIL_MOVED,
)
