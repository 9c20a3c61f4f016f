"""Lines in which a broker decides about a request for a partition, and carries it out."""

from __future__ import annotations

from .....model.expr import both, either, false, field, some, true
from .....model.sorts import Int
from ...fields import broker, current_leader_epoch, gap, kind, leader, leader_epoch, lossy, of_zookeeper, sorts, whole
from ...lines import (
    BECOME_BEGUN,
    BECOME_ENDED,
    EPOCH_REFUSED,
    FETCHERS_ADDED,
    LEADER_AND_ISR_RECEIVED,
    LEADER_UNAVAILABLE,
    NOT_ASSIGNED,
    SAME_LEADER,
    STOP_REFUSED,
    is_line,
)
from ...table.encoding import Flag
from ...table.protocol import Column, Table
from ..observation import Names, Observation
from .hosted import AGAINST, HOSTED, HOSTED_LINES, KEPT, MERGED, REPLICA, against
from .taken import STARTS, known_epoch, known_leader, leader_known_in, received, same_request

itself = field("itself", leader.sort)
"""The broker, as a leader."""
asked_epoch, printed_epoch = field("asked_epoch", Int()), field("printed_epoch", Int())
"""The leader epoch of the request, and the one that the broker prints as its own."""
fetch_leader, fetch_epoch = field("fetch_leader", leader.sort), field("fetch_epoch", Int())
"""The leader that the broker adopted, and the epoch in which it fetches; where lines do not show them, the right
ones.
"""
other_leader_named, other_role_named = field("other_leader_named", Flag), field("other_role_named", Flag)
"""True if a line of a request prints another leader, or role, than the request has; false if it prints none."""
other_epoch_named = field("other_epoch_named", Flag)
"""True if the line with which a request is refused prints another leader epoch than the request has."""
asked, unlogged = field("asked", Flag), field("unlogged", Flag)
_CARRIED_OUT = (*BECOME_ENDED, *LEADER_UNAVAILABLE, *SAME_LEADER, *EPOCH_REFUSED)
_OF_REQUEST = (*BECOME_BEGUN, *BECOME_ENDED, *EPOCH_REFUSED)
not_later = field("not_later", Flag)
"""True if the line prints an epoch that is not above the one that the broker adopted."""


def _begun(lines: Table, *_: Names) -> Table:
    return _named(lines.of_lines(BECOME_BEGUN))


def _carried_out(lines: Table, *_: Names) -> Table:
    return _named(lines.of_lines(_CARRIED_OUT))


def _named(lines: Table) -> Table:
    """Return lines of available requests, with what they name beside what the requests say."""
    asked = lines.where(same_request).derive(itself=some(broker))
    names = asked.derive(
        other_leader_named=~leader.eq(received(leader)),
        other_role_named=~kind.eq("become-leader").eq(received(leader).eq(itself)),
        other_epoch_named=~leader_epoch.eq(received(leader_epoch)),
    )
    return against(names, "received")


def _asked(lines: Table, *_: Names) -> Table:
    """Return lines about what a broker accepts or refuses, from where the requests that it received are logged.

    A log may begin, or its level may change, in the middle of a request.
    """
    sound = lines.where(both(of_zookeeper, whole, ~lossy))
    arrived = Column("so_far", where=is_line(LEADER_AND_ISR_RECEIVED))
    own = sound.along(REPLICA, MERGED, arrived=arrived)
    requests = own.of_lines(LEADER_AND_ISR_RECEIVED).present("leader_epoch", "correlation_id")
    of_epoch = (*REPLICA, "leader_epoch")
    of_id = (*REPLICA, "controller", "correlation_id")
    epochs = requests.grouped(of_epoch, n=Column("count")).derive(asked=true)
    ids = requests.grouped(of_id, n=Column("count")).derive(asked=true)
    starts = own.of_lines(STARTS).present("leader_epoch").attached(epochs, of_epoch, ("asked",))
    others = own.of_lines(_OF_REQUEST).present("controller", "correlation_id").attached(ids, of_id, ("asked",))
    return starts.plus(others).where(field("arrived", Int()) > 0)


def _not_assigned(lines: Table, *_: Names) -> Table:
    return lines.of_lines(NOT_ASSIGNED).present("replicas")


def _against_epoch(lines: Table, *_: Names) -> Table:
    """Return lines of decisions, each with the line of the broker's own epoch.

    If requests were logged, and the refused one was not, the level was changed between: later requests are missing,
    among them deletions, after which epochs begin anew.
    """
    begun = lines.of_lines(BECOME_BEGUN).where(same_request)
    begun = begun.derive(asked_epoch=received(leader_epoch), printed_epoch=known_epoch, unlogged=false)
    refused = lines.of_lines(EPOCH_REFUSED + STOP_REFUSED).present("leader_epoch")
    logged = received(leader_epoch).eq(received(leader_epoch))
    refused = refused.derive(
        asked_epoch=leader_epoch,
        printed_epoch=current_leader_epoch,
        unlogged=both(is_line(EPOCH_REFUSED), logged, ~same_request),
    )
    refused = refused.filled("printed_epoch", "leader_epoch")
    return against(begun.plus(refused), "known").derive(gap=either(gap, unlogged))


def _fetchers(lines: Table, *_: Names) -> Table:
    found = lines.of_lines(FETCHERS_ADDED).derive(fetch_epoch=leader_epoch, fetch_leader=known_leader)
    with_leader = found.only_where(leader_known_in.eq(known_epoch), "fetch_leader").filled("fetch_leader", "leader")
    shown = with_leader.derive(not_later=leader_epoch <= known_epoch)
    return against(shown.filled("fetch_epoch", "known_epoch"), "known")


REQUESTS_BEGUN = Observation(
    "requests_begun",
    made_from=HOSTED_LINES,
    lines=BECOME_BEGUN,
    columns={**AGAINST, **sorts(itself, other_leader_named, other_role_named)},
    make=_begun,
    key=KEPT,
    order=MERGED,
    between=(*LEADER_AND_ISR_RECEIVED, *BECOME_BEGUN),
)
"""Lines in which a broker begins to carry out a request, each with the line in which it received it."""

REQUESTS_CARRIED_OUT = Observation(
    "requests_carried_out",
    made_from=HOSTED_LINES,
    lines=_CARRIED_OUT,
    columns={**AGAINST, **sorts(other_leader_named, other_role_named, other_epoch_named)},
    make=_carried_out,
    key=KEPT,
    order=MERGED,
    between=LEADER_AND_ISR_RECEIVED,
)
"""Lines in which a broker continues or finishes a request, each with the line in which it received it."""

TAKEN_AS_ASKED = Observation(
    "taken_as_asked",
    made_from=HOSTED_LINES,
    lines=(*STARTS, *_OF_REQUEST, *LEADER_AND_ISR_RECEIVED),
    columns={**HOSTED, **sorts(asked)},
    make=_asked,
)
"""Lines about what a broker accepts or refuses.

`asked`: it received a request with that leader epoch, or with that number, in that process.
"""

NOT_ASSIGNED_HERE = Observation("not_assigned_here", HOSTED_LINES, NOT_ASSIGNED, HOSTED, _not_assigned)
"""Lines in which a broker ignores a request about a partition because it is not among the replicas that the line
prints.
"""

REQUESTS_DECIDED = Observation(
    "requests_decided",
    made_from=HOSTED_LINES,
    lines=BECOME_BEGUN + EPOCH_REFUSED + STOP_REFUSED,
    columns={**AGAINST, **sorts(asked_epoch, printed_epoch)},
    make=_against_epoch,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a broker accepts a request, or refuses it for its leader epoch, each with the line of its own
epoch.
"""

FETCHES = Observation(
    "fetches",
    made_from=HOSTED_LINES,
    lines=FETCHERS_ADDED,
    columns={**AGAINST, **sorts(fetch_leader, fetch_epoch, not_later)},
    make=_fetchers,
    key=KEPT,
    order=MERGED,
)
"""Lines in which a broker begins to fetch a partition, each with the line that shows its leader."""
