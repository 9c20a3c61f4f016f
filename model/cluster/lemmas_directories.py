"""Lemmas where log directories fail: a replica in a failed one is offline on a broker that lives."""

from __future__ import annotations

from ..expr import both, forall, var
from ..property import Property
from .lemmas_requests import OnTheWay, at
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
    (
        "The replicas that a controller moves because their log directory has failed are all on one live "
        "broker; it has such replicas only while it handles that failure."
    ),
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


def requests_are_to_live(sent: OnTheWay) -> Property:
    its_epoch = sent.request(b, epoch[c])["broker_epoch"]
    waiting = both(_acts, sent.there_is(b, epoch[c]))
    return Property(
        "RequestsAreToLive",
        (
            "Requests on the way go to brokers that their controller knows to be live, and to no later life of "
            "these; no controller of a future epoch sent any."
        ),
        both(
            forall(c, forall(b, both(_acts, sent.queue[b][epoch[c]].length() > 0).implies(live[c].contains(b)))),
            forall(c, forall(b, forall(at, waiting.implies(its_epoch <= known[c][b])))),
            forall(c, forall(b, known[c][b] <= registration[b])),
            forall(b, forall(e, (e > controller_epoch).implies(sent.queue[b][e].length().eq(0)))),
        ),
    )


_its = both(registered.contains(b), known[c][b].eq(registration[b]))
_ARE_OF_LIVE = tuple(
    forall(c, forall(b, (~each[c][b].is_empty()).implies(live[c].contains(b))))
    for each in (storage_errors, offline_dirs)
)
_MOVED_ARE_KNOWN = forall(
    c,
    forall(
        b,
        forall(p, both(to_move[c].contains(b), marked[c].contains(p)).implies(offline_dirs[c][b].contains(p))),
    ),
)
KNOWN_DIRECTORIES_ARE_OF_LIVE = Property(
    "KnownDirectoriesAreOfLive",
    (
        "Every log directory of a live broker that a controller knows as failed did fail. The replicas that "
        "it moves for that reason are in such directories."
    ),
    both(*_ARE_OF_LIVE, _MOVED_ARE_KNOWN),
)
KNOWN_DIRECTORIES_HAVE_FAILED = Property(
    "KnownDirectoriesHaveFailed",
    (
        "Every log directory of a live broker that a controller knows as failed did fail, as long as the "
        "broker that reported it lives. The replicas that it moves for that reason are in such directories."
    ),
    both(
        *_ARE_OF_LIVE,
        forall(
            c,
            forall(b, forall(p, both(_its, storage_errors[c][b].contains(p)).implies(failed[b].contains(p)))),
        ),
        forall(
            c,
            forall(b, forall(p, both(_its, offline_dirs[c][b].contains(p)).implies(failed[b].contains(p)))),
        ),
        _MOVED_ARE_KNOWN,
    ),
)


def lemmas(sent: OnTheWay | None) -> tuple[Property, ...]:
    """Return the lemmas; `sent`: the requests that are on the way, in a model that has them."""
    if sent is None:
        return (KNOWN_DIRECTORIES_ARE_OF_LIVE, MARKED_ARE_OF_ONE_LIVE)
    return (requests_are_to_live(sent), KNOWN_DIRECTORIES_HAVE_FAILED, MARKED_ARE_OF_ONE_LIVE)
