"""Lines in which a broker decides what to do with a request about a partition, and what it does of it."""

from __future__ import annotations

from .....model.expr import field, some
from .....model.sorts import Bool, Int
from ...fields import broker, current_leader_epoch, leader, leader_epoch, sorts
from ...lines import BECOME_BEGUN, EPOCH_REFUSED, FETCHERS_ADDED, LEADER_AND_ISR_RECEIVED
from ...table.protocol import Table
from ..absent import false_where_absent
from ..observation import Names, Observation
from .hosted import AGAINST, HOSTED_LINES, KEPT, MERGED, against
from .taken import known_epoch, known_leader, leader_known_in, received, same_request

itself = field("itself", leader.sort)
"""The broker, as a leader."""
asked_epoch, printed_epoch = field("asked_epoch", Int()), field("printed_epoch", Int())
"""The leader epoch of the request, and the one that the broker prints as its own."""
fetch_leader, fetch_epoch = field("fetch_leader", leader.sort), field("fetch_epoch", Int())
"""Whom the broker took as leader, and the epoch in which it fetches; where lines tell nothing of it, what is right."""
not_later = field("not_later", Bool)
"""Whether the line prints an epoch that is not above the one that the broker took."""


def _begun(lines: Table, *_: Names) -> Table:
    asked = lines.of_lines(BECOME_BEGUN).where(same_request).derive(itself=some(broker))
    return against(asked, "received")


def _against_epoch(lines: Table, *_: Names) -> Table:
    begun = lines.of_lines(BECOME_BEGUN).where(same_request)
    begun = begun.derive(asked_epoch=received(leader_epoch), printed_epoch=known_epoch)
    refused = lines.of_lines(EPOCH_REFUSED).derive(asked_epoch=leader_epoch, printed_epoch=current_leader_epoch)
    refused = refused.filled("printed_epoch", "leader_epoch")
    return against(begun.plus(refused), "known")


def _fetchers(lines: Table, *_: Names) -> Table:
    found = lines.of_lines(FETCHERS_ADDED).derive(fetch_epoch=leader_epoch, fetch_leader=known_leader)
    with_leader = found.only_where(leader_known_in.eq(known_epoch), "fetch_leader").filled("fetch_leader", "leader")
    shown = false_where_absent(with_leader.derive(not_later=leader_epoch <= known_epoch), "not_later")
    return against(shown.filled("fetch_epoch", "known_epoch"), "known")


REQUESTS_BEGUN = Observation(
    "requests_begun",
    made_from=HOSTED_LINES,
    lines=BECOME_BEGUN,
    columns={**AGAINST, **sorts(itself)},
    make=_begun,
    key=KEPT,
    order=MERGED,
    between=(*LEADER_AND_ISR_RECEIVED, *BECOME_BEGUN),
)
"""Where a broker begins to do what a request says, each with the line in which it received it."""

REQUESTS_DECIDED = Observation(
    "requests_decided",
    made_from=HOSTED_LINES,
    lines=BECOME_BEGUN + EPOCH_REFUSED,
    columns={**AGAINST, **sorts(asked_epoch, printed_epoch)},
    make=_against_epoch,
    key=KEPT,
    order=MERGED,
)
"""Where a broker takes a request, or refuses it for its leader epoch, each with the line of the epoch that it has."""

FETCHES = Observation(
    "fetches",
    made_from=HOSTED_LINES,
    lines=FETCHERS_ADDED,
    columns={**AGAINST, **sorts(fetch_leader, fetch_epoch, not_later)},
    make=_fetchers,
    key=KEPT,
    order=MERGED,
)
"""Where a broker begins to fetch a partition, each with the line that tells whom it follows."""
