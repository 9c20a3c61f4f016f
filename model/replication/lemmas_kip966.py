"""Lemmas that show that KIP-966 loses no committed record, however many brokers crash: `lemmas.py` with the ELR.

A replica that may be elected, from the ISR or as an eligible one, is a *candidate*. Candidates are here what the ISR is
to KIP-320: they shrink freely, and win a member only from a leader that knows all that was committed
(`ClosedEpochs`). A record is committed only while the ISR is large enough, and then nobody else is eligible
(`EligibleOnlyWhileSmall`): so all candidates have it. A broker that crashes is no candidate any more, but it was one in
earlier epochs: there `CandidatesHoldCommits` leaves out who has crashed since (`crashed_in`).
"""

from __future__ import annotations

from ..action import Update, update
from ..expr import Expr, both, either, exists, field, fill, forall, setting
from ..property import Property
from ..protocol import Ghosts, Model, starts
from ..script import remembering
from ..sorts import Int, MapOf, SetOf
from . import lemmas, lemmas_crash
from .kip966 import MIN_ISR, crashes, elr
from .lemmas import at, commit_epoch, d, e, is_committed, latest_isr, leads, one, other
from .properties import committed
from .state import (
    MAX_LEADER_EPOCH,
    Epoch,
    Replica,
    local_epoch,
    local_leader,
    log,
    quorum_epoch,
    quorum_isr,
    replica,
)

latest_elr = field("latest_elr", MapOf(Epoch, SetOf(Replica)))
crashed_in = field("crashed_in", MapOf(Replica, Int(-1, MAX_LEADER_EPOCH)))


def candidates(of: Expr) -> Expr:
    """Return the replicas that the controller could elect as an epoch ends: the ISR and the eligible replicas."""
    return latest_isr[of].union(latest_elr[of])


def _eligible_history(model: Model) -> dict[str, tuple[Update, ...]]:
    """The ELR that each action leaves, by the epoch in which it does; and in which epoch a broker crashed."""
    found: dict[str, tuple[Update, ...]] = {}
    for action in model.actions:
        written = {each.field: each.value for each in action.updates}
        if quorum_isr in written:
            epoch = written.get(quorum_epoch, quorum_epoch)
            found[action.name] = (update(latest_elr[epoch], written.get(elr, elr)),)
            if crashes in written:
                found[action.name] += (update(crashed_in[replica], epoch),)
    return found


QUORUM_IS_LAST_REQUEST = Property(
    "QuorumIsLastRequest",
    (
        "The quorum holds the leader of the last request, and the latest ISR and ELR of its epoch; before "
        "the first request, no leader, every replica in the ISR and none in the ELR."
    ),
    both(
        lemmas.QUORUM_IS_LAST_REQUEST.condition,
        quorum_epoch.eq(-1).implies(elr.is_empty()),
        (quorum_epoch >= 0).implies(latest_elr[quorum_epoch].eq(elr)),
    ),
)
CLOSED_EPOCHS = Property(
    "ClosedEpochs",
    "The candidates of a later epoch are within those of an earlier one, unless the earlier epoch is closed: one of "
    "its candidates has moved on.",
    forall(
        d,
        forall(
            e,
            forall(
                one,
                ((d < e) & (e <= quorum_epoch) & candidates(e).contains(one)).implies(
                    either(
                        candidates(d).contains(one),
                        exists(other, candidates(d).contains(other) & (d < local_epoch[other])),
                    )
                ),
            ),
        ),
    ),
)
ELIGIBLE_ONLY_WHILE_SMALL = Property(
    "EligibleOnlyWhileSmall",
    "In every epoch, replicas are eligible only while its ISR is smaller than min.insync.replicas.",
    forall(e, (e <= quorum_epoch).implies(latest_elr[e].is_empty() | (latest_isr[e].size() < setting(MIN_ISR)))),
)
CRASHED_BEFORE = Property(
    "CrashedBefore",
    "A broker that crashed has since been in the epoch in which it came back, or in a later one.",
    forall(one, crashed_in[one] <= local_epoch[one]),
)
COMMITS_HAVE_AN_EPOCH = Property(
    "CommitsHaveAnEpoch",
    "Every committed record was written in an epoch up to the one that committed it; that epoch has a leader, and the "
    "leader has reached it.",
    both(
        lemmas.COMMITS_HAVE_AN_EPOCH.condition,
        forall(
            at,
            forall(
                one,
                (is_committed(at) & leads(one, commit_epoch(at))).implies(commit_epoch(at) <= local_epoch[one]),
            ),
        ),
    ),
)


def held_by_candidates(there: Expr, since: Expr, record: Expr) -> Expr:
    """From epoch `since` on, the candidates hold the record that is `there` at an offset (`at`)."""
    return forall(
        at,
        forall(
            e,
            forall(
                one,
                both(
                    there,
                    since <= e,
                    e <= quorum_epoch,
                    candidates(e).contains(one),
                    crashed_in[one] <= e,
                ).implies((since <= local_epoch[one]) & log[one].at(at).eq(record)),
            ),
        ),
    )


CANDIDATES_HOLD_COMMITS = Property(
    "CandidatesHoldCommits",
    (
        "From the epoch of its commit on, every candidate of every epoch, except those that crashed in a "
        "later one, holds a committed record and has reached the epoch of the commit."
    ),
    held_by_candidates(is_committed(at), commit_epoch(at), committed.at(at)),
)
MEMBERS_ARE_LED = Property(
    "MembersAreLed",
    (
        "A replica that is in the ISR of the epoch that it has reached has a leader: a replica that is back "
        "after a crash is in no ISR."
    ),
    forall(
        one,
        ((local_epoch[one] >= 0) & latest_isr[local_epoch[one]].contains(one)).implies(local_leader[one].is_some()),
    ),
)

_CHANGED = {each.name: each for each in (QUORUM_IS_LAST_REQUEST, CLOSED_EPOCHS, COMMITS_HAVE_AN_EPOCH)}
LEMMAS: tuple[Property, ...] = (
    *(_CHANGED.get(each.name, each) for each in lemmas_crash.LEMMAS if each is not lemmas.ISR_HOLDS_COMMITS),
    ELIGIBLE_ONLY_WHILE_SMALL,
    CRASHED_BEFORE,
    CANDIDATES_HOLD_COMMITS,
    MEMBERS_ARE_LED,
)
SPARE = {
    MEMBERS_ARE_LED.name: (
        "It proves that the guard clauses that the model waives are redundant (`isrproof prove MODEL --mutate`)."
    )
}


def with_history(model: Model) -> Model:
    """A model with KIP-966 that also remembers the latest ELR of each epoch, and each replica's crashes."""
    history = Ghosts(
        "eligible history",
        (
            starts(latest_elr, fill(latest_elr.sort, frozenset()), "the last ELR that the quorum held in each epoch"),
            starts(
                crashed_in, fill(crashed_in.sort, -1), "the epoch in which each broker came back from its last crash"
            ),
        ),
        updates=_eligible_history(model),
    )
    return remembering(lemmas.with_history(model), history)
