"""The same where topics are deleted: of those that are queued nothing is promised."""

from __future__ import annotations

from ..expr import both, forall, some
from ..property import Property
from ..script import Lemmas
from . import lemmas_control, lemmas_settled
from .state import asked_to_delete, b, c, controller, one_of, p, phase, queued, to_delete, to_stop

TO_DELETE_IS_QUEUED = Property(
    "ToDeleteIsQueued",
    "A controller is about to delete only topics that are queued for it in ZooKeeper; one that has read nothing, none.",
    both(
        forall(c, controller.eq(some(c)).implies(to_delete[c].subset_of(queued))),
        forall(c, one_of(phase[c], ("none", "elected")).implies(to_delete[c].is_empty())),
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
LEMMAS = (
    *lemmas_control.LEMMAS,
    TO_DELETE_IS_QUEUED,
    STOPS_WHAT_IS_QUEUED,
    *lemmas_settled.lemmas(left_alone=to_delete[c].contains(p)),
)

SCRIPT = Lemmas(
    lemmas_control.SCRIPT.fields | {queued, to_delete, to_stop, asked_to_delete},
    LEMMAS,
    lemmas_control.SCRIPT.with_history,
    lambda model: (),
    {},
)
