"""Lemmas where topics are deleted: nothing is promised of topics that are queued for it."""

from __future__ import annotations

from ..expr import Expr, both, either, forall
from ..property import Property
from .controller import unknown_is
from .lemmas_settled import GOES_OFFLINE, IS_CURRENT, IS_REPLICA, KNOWS, of_replicas
from .state import (
    asked_to_delete,
    b,
    c,
    created,
    live,
    one_of,
    p,
    partition_state,
    phase,
    queued,
    replica_state,
    to_delete,
    to_move,
    to_stop,
    topics,
)

KNOWS_NO_TOPIC_YET = Property(
    "KnowsNoTopicYet",
    "A broker that is not controller, or has only been elected, knows no topic.",
    both(
        forall(c, (~KNOWS).implies(topics[c].is_empty())),
        forall(c, forall(p, (~KNOWS).implies(partition_state[c][p].eq(unknown_is("partition"))))),
    ),
)
TO_DELETE_IS_QUEUED = Property(
    "ToDeleteIsQueued",
    (
        "A controller is about to delete only topics that it knows and that are queued for deletion in "
        "ZooKeeper, where only existing topics are queued; a controller that has read nothing is about to "
        "delete none."
    ),
    both(
        queued.subset_of(created),
        forall(c, IS_CURRENT.implies(to_delete[c].subset_of(topics[c]))),
        forall(c, IS_CURRENT.implies(to_delete[c].subset_of(queued))),
        forall(c, (~KNOWS).implies(to_delete[c].is_empty())),
    ),
)
_stopped = both(one_of(phase[c], ("retrying", "deleting")), to_delete[c].contains(p))
STOPS_WHAT_IS_QUEUED = Property(
    "StopsWhatIsQueued",
    "A controller stops replicas, and has them deleted, of topics that it is about to delete; it stops some only while "
    "it starts their deletion.",
    both(
        of_replicas(both(IS_CURRENT, to_stop[c][p][b]), _stopped),
        of_replicas(both(IS_CURRENT, asked_to_delete[c][p][b]), to_delete[c].contains(p)),
        of_replicas(~KNOWS, ~to_stop[c][p][b]),
        of_replicas(~KNOWS, ~asked_to_delete[c][p][b]),
    ),
)
_state, _has = replica_state[c][p][b], both(IS_CURRENT, IS_REPLICA)


def deleted_step_by_step(online: Expr) -> Property:
    is_stopped = both(_state.eq("OfflineReplica"), phase[c].eq("deleting"), online.contains(b))
    return Property(
        "DeletedStepByStep",
        (
            "Each existing replica has a state. A replica whose deletion has started is on a live broker, or on "
            "one to be moved. A replica to be stopped may go offline, and is on a live broker if it is to be "
            "deleted. A replica that a live broker was asked to delete is offline, and then its deletion is "
            "started."
        ),
        both(
            of_replicas(_has, ~one_of(_state, ("NewReplica", unknown_is("replica")))),
            of_replicas(both(_has, phase[c].eq("starting")), one_of(_state, GOES_OFFLINE)),
            of_replicas(
                both(_has, _state.eq("ReplicaDeletionStarted")), either(live[c].contains(b), to_move[c].contains(b))
            ),
            of_replicas(both(IS_CURRENT, to_stop[c][p][b]), both(_has, one_of(_state, GOES_OFFLINE))),
            of_replicas(both(IS_CURRENT, to_stop[c][p][b], phase[c].eq("deleting")), online.contains(b)),
            of_replicas(both(IS_CURRENT, asked_to_delete[c][p][b]), _has),
            of_replicas(
                both(IS_CURRENT, asked_to_delete[c][p][b], live[c].contains(b)),
                either(_state.eq("ReplicaDeletionStarted"), is_stopped),
            ),
        ),
    )


def lemmas(online: Expr) -> tuple[Property, ...]:
    """Return the lemmas; `online`: the brokers that may lead a partition p, as far as a controller c knows."""
    return (KNOWS_NO_TOPIC_YET, TO_DELETE_IS_QUEUED, STOPS_WHAT_IS_QUEUED, deleted_step_by_step(online))
