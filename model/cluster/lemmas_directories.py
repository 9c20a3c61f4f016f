"""The same where log directories fail: what is in one is offline on a broker that lives."""

from __future__ import annotations

from ..expr import both, forall, those, var
from ..property import Property
from ..script import Lemmas
from . import lemmas_control, lemmas_settled
from .lemmas_requests import QUEUE, at, is_on_the_way, request
from .state import (
    Broker,
    b,
    c,
    controller_epoch,
    e,
    epoch,
    failed,
    known,
    live,
    marked,
    offline_dirs,
    one_of,
    p,
    phase,
    r,
    registered,
    registration,
    storage_errors,
    to_move,
)

_acts = phase[c].ne("none")
_broker = var("directory_of", Broker)
MARKED_ARE_OF_ONE_LIVE = Property(
    "MarkedAreOfOneLive",
    "The replicas that a controller moves because their log directory has failed are those of one live broker; it has "
    "such only while it handles that.",
    both(
        forall(c, (~marked[c].is_empty()).implies(one_of(phase[c], ("failing", "moving")))),
        forall(c, (~marked[c].is_empty()).implies(to_move[c].subset_of(live[c]))),
        forall(
            c,
            forall(
                b,
                forall(
                    r, both(~marked[c].is_empty(), *(to_move[c].contains(each) for each in (b, r))).implies(b.eq(r))
                ),
            ),
        ),
    ),
)
REQUESTS_ARE_TO_LIVE = Property(
    "RequestsAreToLive",
    "What a controller sent, and is on the way, is sent to brokers that it knows to be live, and for no later life of "
    "them; no controller of an epoch to come sent any.",
    both(
        forall(c, forall(b, both(_acts, QUEUE[b][epoch[c]].length() > 0).implies(live[c].contains(b)))),
        forall(
            c,
            forall(
                b,
                forall(
                    at,
                    both(_acts, is_on_the_way(b, epoch[c])).implies(
                        request(b, epoch[c])["broker_epoch"] <= known[c][b]
                    ),
                ),
            ),
        ),
        forall(c, forall(b, known[c][b] <= registration[b])),
        forall(b, forall(e, (e > controller_epoch).implies(QUEUE[b][e].length().eq(0)))),
    ),
)
_its = both(registered.contains(b), known[c][b].eq(registration[b]))
KNOWN_DIRECTORIES_HAVE_FAILED = Property(
    "KnownDirectoriesHaveFailed",
    "Of live brokers a controller knows log directories that failed, and they have, as long as the broker lives that "
    "said so. The replicas that it moves for that are such.",
    both(
        forall(c, forall(b, (~storage_errors[c][b].is_empty()).implies(live[c].contains(b)))),
        forall(c, forall(b, (~offline_dirs[c][b].is_empty()).implies(live[c].contains(b)))),
        forall(
            c,
            forall(b, forall(p, both(_its, storage_errors[c][b].contains(p)).implies(failed[b].contains(p)))),
        ),
        forall(
            c,
            forall(b, forall(p, both(_its, offline_dirs[c][b].contains(p)).implies(failed[b].contains(p)))),
        ),
        forall(
            c,
            forall(
                b,
                forall(p, both(to_move[c].contains(b), marked[c].contains(p)).implies(offline_dirs[c][b].contains(p))),
            ),
        ),
    ),
)
_online = live[c].minus(those(_broker, offline_dirs[c][_broker].contains(p)))
LEMMAS = (
    *lemmas_control.LEMMAS,
    REQUESTS_ARE_TO_LIVE,
    KNOWN_DIRECTORIES_HAVE_FAILED,
    MARKED_ARE_OF_ONE_LIVE,
    *lemmas_settled.lemmas(lemmas_settled.Terms(online=_online, working=_online, partly=~marked[c].is_empty())),
)

SCRIPT = Lemmas(
    lemmas_control.SCRIPT.fields | {offline_dirs, marked, QUEUE},
    LEMMAS,
    lemmas_control.SCRIPT.with_history,
    lambda model: (),
    {},
)
