"""Lemmas for the safety of KIP-497's maximal-ISR rule: those of `lemmas.py`, extended to requests in flight.

Between the controller's write and its answer the leader knows an older ISR than the quorum. What it proposed is then
the latest ISR (`LocalOrProposed`), so whoever may be in the ISR is in the maximal ISR. A member that is only proposed
has every committed record already (`ProposedHoldCommits`), so the controller may accept it at any later time; a member
that the controller took out still has those that the leader knows to be committed (`LocalHoldCommits`).
"""

from __future__ import annotations

from ..action import update
from ..expr import both, forall, var
from ..property import Property
from ..protocol import Model
from ..script import Lemmas
from . import lemmas
from .kip497 import ONE_LEADER_ASKS, proposed
from .lemmas import (
    commit_epoch,
    is_committed,
    latest_isr,
    requested_isr,
    requested_leader,
)
from .properties import at, committed
from .state import (
    Replica,
    end,
    leader,
    local_epoch,
    local_isr,
    local_leader,
    log,
    presumes_leadership,
    quorum_epoch,
)

one, member = var("one", Replica), var("member", Replica)
_asks, _asked = proposed[one], proposed[one].value
_holds_commit = (commit_epoch(at) <= local_epoch[member]) & log[member].at(at).eq(committed.at(at))

LOCAL_IS_REQUESTED = Property(
    "LocalIsRequested",
    (
        "A replica believes the request of its epoch, unless it leads. A replica that got no request knows "
        "nothing and has no records."
    ),
    forall(
        one,
        both(
            local_epoch[one].eq(-1).implies(local_leader[one].is_none() & end(one).eq(0) & local_isr[one].is_empty()),
            (local_epoch[one] >= 0).implies(local_leader[one].eq(requested_leader(local_epoch[one]))),
            ((local_epoch[one] >= 0) & ~presumes_leadership(one)).implies(
                local_isr[one].eq(requested_isr(local_epoch[one]))
            ),
        ),
    ),
)
LOCAL_OR_PROPOSED = Property(
    "LocalOrProposed",
    (
        "The latest ISR of a presumed leader's epoch is the proposed one, once that was accepted; until then "
        "it is the ISR that the leader knows."
    ),
    forall(
        one,
        both(
            (presumes_leadership(one) & _asked["accepted"]).implies(latest_isr[local_epoch[one]].eq(_asked["isr"])),
            (presumes_leadership(one) & ~_asked["accepted"]).implies(latest_isr[local_epoch[one]].eq(local_isr[one])),
        ),
    ),
)
ONLY_LEADERS_PROPOSE = Property(
    "OnlyLeadersPropose",
    "Only a presumed leader has a request in flight.",
    forall(one, _asks.is_some().implies(presumes_leadership(one))),
)
PROPOSED_HOLD_COMMITS = Property(
    "ProposedHoldCommits",
    (
        "Every replica that the leader of the current epoch proposes has every committed record and has "
        "reached its commit's epoch."
    ),
    forall(
        at,
        forall(
            one,
            forall(
                member,
                both(
                    is_committed(at),
                    _asks.is_some(),
                    local_epoch[one].eq(quorum_epoch),
                    _asked["isr"].contains(member),
                ).implies(_holds_commit),
            ),
        ),
    ),
)
LOCAL_HOLD_COMMITS = Property(
    "LocalHoldCommits",
    (
        "Every member of the ISR that a presumed leader knows, perhaps an older one than the controller's, "
        "has every record committed up to the leader's epoch and has reached its commit's epoch."
    ),
    forall(
        at,
        forall(
            one,
            forall(
                member,
                both(
                    is_committed(at),
                    presumes_leadership(one),
                    commit_epoch(at) <= local_epoch[one],
                    local_isr[one].contains(member),
                ).implies(_holds_commit),
            ),
        ),
    ),
)

_CHANGED = {LOCAL_IS_REQUESTED.name: LOCAL_IS_REQUESTED}
LEMMAS: tuple[Property, ...] = (
    *(_CHANGED.get(each.name, each) for each in lemmas.LEMMAS),
    LOCAL_OR_PROPOSED,
    ONLY_LEADERS_PROPOSE,
    ONE_LEADER_ASKS,
    PROPOSED_HOLD_COMMITS,
    LOCAL_HOLD_COMMITS,
)
SPARE = lemmas.SPARE


def with_history(model: Model) -> Model:
    """A model with KIP-497 that remembers the latest ISR of each epoch: the controller writes it, not the leader."""
    accepted = update(latest_isr[quorum_epoch], proposed[leader].value["isr"])
    return lemmas.with_history(model, {"LeaderShrinkIsr": (), "LeaderExpandIsr": (), "ControllerAlterIsr": (accepted,)})


SCRIPT = Lemmas(lemmas.SCRIPT.fields | {proposed}, LEMMAS, with_history, lemmas.goals, SPARE)
