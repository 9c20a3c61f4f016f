"""The same where topics are deleted: of those that are queued nothing is promised."""

from __future__ import annotations

from ..expr import both, either, forall, some
from ..property import Property
from ..script import Lemmas
from . import lemmas_control, lemmas_settled
from .controller import unknown_is
from .lemmas_settled import GOES_OFFLINE, IS_REPLICA, KNOWS, of_replicas
from .state import (
    asked_to_delete,
    b,
    c,
    controller,
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
    "Who is no controller, or has only been elected, knows of no topic.",
    both(
        forall(c, (~KNOWS).implies(topics[c].is_empty())),
        forall(c, forall(p, (~KNOWS).implies(partition_state[c][p].eq(unknown_is("partition"))))),
    ),
)
TO_DELETE_IS_QUEUED = Property(
    "ToDeleteIsQueued",
    "A controller is about to delete only topics that it knows, and that are queued for it in ZooKeeper, where only "
    "topics are queued that there are; a controller that has read nothing is about to delete none.",
    both(
        queued.subset_of(created),
        forall(c, to_delete[c].subset_of(topics[c])),
        forall(c, controller.eq(some(c)).implies(to_delete[c].subset_of(queued))),
        forall(c, (~KNOWS).implies(to_delete[c].is_empty())),
    ),
)
_stopped = both(one_of(phase[c], ("retrying", "deleting")), to_delete[c].contains(p))
STOPS_WHAT_IS_QUEUED = Property(
    "StopsWhatIsQueued",
    "A controller stops replicas, and has them deleted, of topics that it is about to delete; it stops some only while "
    "it starts their deletion.",
    both(
        forall(c, forall(p, forall(b, to_stop[c][p][b].implies(_stopped)))),
        forall(c, forall(p, forall(b, asked_to_delete[c][p][b].implies(to_delete[c].contains(p))))),
    ),
)
_state, _has = replica_state[c][p][b], both(KNOWS, IS_REPLICA)
_is_stopped = both(_state.eq("OfflineReplica"), phase[c].eq("deleting"))
DELETED_STEP_BY_STEP = Property(
    "DeletedStepByStep",
    "Each replica that there is has a state; one whose deletion has started is on a live broker, or on one to be "
    "moved; what is to be stopped may go offline; what a live broker was asked to delete is offline, and then started.",
    both(
        of_replicas(_has, ~one_of(_state, ("NewReplica", unknown_is("replica")))),
        of_replicas(both(_has, phase[c].eq("starting")), one_of(_state, GOES_OFFLINE)),
        of_replicas(
            both(_has, _state.eq("ReplicaDeletionStarted")), either(live[c].contains(b), to_move[c].contains(b))
        ),
        of_replicas(to_stop[c][p][b], both(_has, one_of(_state, GOES_OFFLINE))),
        of_replicas(asked_to_delete[c][p][b], _has),
        of_replicas(
            both(asked_to_delete[c][p][b], live[c].contains(b)),
            either(_state.eq("ReplicaDeletionStarted"), _is_stopped),
        ),
    ),
)
LEMMAS = (
    *lemmas_control.LEMMAS,
    KNOWS_NO_TOPIC_YET,
    TO_DELETE_IS_QUEUED,
    STOPS_WHAT_IS_QUEUED,
    DELETED_STEP_BY_STEP,
    *lemmas_settled.lemmas(lemmas_settled.Terms(left_alone=to_delete[c].contains(p))),
)

SCRIPT = Lemmas(
    lemmas_control.SCRIPT.fields | {queued, to_delete, to_stop, asked_to_delete},
    LEMMAS,
    lemmas_control.SCRIPT.with_history,
    lambda model: (),
    {},
)
