"""The same where log directories fail: what is in one is offline on a broker that lives."""

from __future__ import annotations

from ..expr import both, forall, those, var
from ..property import Property
from ..script import Lemmas
from . import lemmas_control, lemmas_settled
from .state import (
    Broker,
    b,
    c,
    channel,
    controller_epoch,
    e,
    epoch,
    live,
    marked,
    offline_dirs,
    one_of,
    p,
    phase,
    r,
    storage_errors,
    to_move,
)

_queue = channel(())
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
    "What a controller sent, and is on the way, is sent to brokers that it knows to be live. So are answers, and no "
    "controller of an epoch to come sent any.",
    both(
        forall(
            c,
            forall(b, both(phase[c].ne("none"), _queue[b][epoch[c]].length() > 0).implies(live[c].contains(b))),
        ),
        forall(c, forall(b, (~storage_errors[c][b].is_empty()).implies(live[c].contains(b)))),
        forall(b, forall(e, (e > controller_epoch).implies(_queue[b][e].length().eq(0)))),
    ),
)
LEMMAS = (
    *lemmas_control.LEMMAS,
    REQUESTS_ARE_TO_LIVE,
    MARKED_ARE_OF_ONE_LIVE,
    *lemmas_settled.lemmas(
        online=live[c].minus(those(_broker, offline_dirs[c][_broker].contains(p))), partly=~marked[c].is_empty()
    ),
)

SCRIPT = Lemmas(
    lemmas_control.SCRIPT.fields | {offline_dirs, marked, _queue},
    LEMMAS,
    lemmas_control.SCRIPT.with_history,
    lambda model: (),
    {},
)
