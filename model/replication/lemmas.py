"""Lemmas for the safety of replication with KIP-320: they hold at first, and every action keeps them.

None of them is a promise of Kafka; together they make the promises inductive, for logs of any length, any number of
epochs, records and replicas. They are written over the model's state and over what HISTORY remembers of the past. The
heart is `IsrHoldsCommits`; the way there is `ClosedEpochs`: an ISR may lose members freely and win them only while the
leader knows everything that was committed before.

Read them with a leader epoch `e` in mind, its request `requests[e]` as the controller wrote it, and `latest_isr[e]`,
the last ISR that the quorum held in epoch `e` (the leader of the epoch may have changed it since the request).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..action import Update, update
from ..expr import Expr, both, either, exists, field, fill, forall, full, ite, some, var
from ..property import Property
from ..protocol import Ghosts, Model, starts
from ..script import Lemmas, remembering
from ..sorts import Int, MapOf, SeqOf, SetOf
from .properties import LOG_MATCHING, committed
from .state import (
    FIELDS,
    LOG_SIZE,
    Epoch,
    Replica,
    end,
    follower,
    follows,
    hw,
    leader,
    local_epoch,
    local_isr,
    local_leader,
    log,
    next_leader_epoch,
    presumes_leadership,
    quorum_epoch,
    quorum_isr,
    quorum_leader,
    requests,
    same_entry,
)

latest_isr = field("latest_isr", MapOf(Epoch, SetOf(Replica)))
committed_in = field("committed_in", SeqOf(Epoch, LOG_SIZE))

HISTORY = Ghosts(
    "history",
    (
        starts(latest_isr, fill(latest_isr.sort, frozenset()), "the last ISR that the quorum held in each epoch"),
        starts(committed_in, (), "the epoch of the leader that committed each offset first"),
    ),
    updates={
        "LeaderShrinkIsr": (update(latest_isr[local_epoch[leader]], local_isr[leader].remove(follower)),),
        "LeaderExpandIsr": (update(latest_isr[local_epoch[leader]], local_isr[leader].insert(follower)),),
        "LeaderIncHighWatermark": (
            update(
                committed_in,
                ite(committed_in.length() <= hw[leader], committed_in.append(local_epoch[leader]), committed_in),
            ),
        ),
    },
)

one, other = var("one", Replica), var("other", Replica)
e, d = var("e", Epoch), var("d", Epoch)
at = var("at", Int(0, LOG_SIZE - 1))


def requested_leader(of: Expr) -> Expr:
    """The leader that the controller named for an epoch."""
    return requests[of].value["leader"]


def requested_isr(of: Expr) -> Expr:
    """The ISR that the controller wrote at the start of an epoch."""
    return requests[of].value["isr"]


def leads(who: Expr, of: Expr) -> Expr:
    """The controller named the replica as the leader of the epoch."""
    return requested_leader(of).eq(some(who))


def is_committed(offset: Expr) -> Expr:
    return offset < committed.length()


def commit_epoch(offset: Expr) -> Expr:
    return committed_in.at(offset).value


EPOCHS_COUNTED = Property(
    "EpochsCounted",
    "The controller's next epoch follows the quorum's, every epoch up to it has its request and no later one has, and "
    "no replica is in a later epoch.",
    both(
        next_leader_epoch.eq(quorum_epoch + 1),
        forall(e, (e <= quorum_epoch).implies(requests[e].is_some())),
        forall(e, (quorum_epoch < e).implies(requests[e].is_none())),
        forall(one, local_epoch[one] <= quorum_epoch),
        forall(one, hw[one] <= end(one)),
        committed_in.length().eq(committed.length()),
    ),
)
QUORUM_IS_LAST_REQUEST = Property(
    "QuorumIsLastRequest",
    "The quorum holds the leader of the last request and the latest ISR of its epoch; before the first request, no "
    "leader and everyone in the ISR.",
    both(
        quorum_epoch.eq(-1).implies(quorum_leader.is_none() & quorum_isr.eq(full(Replica))),
        (quorum_epoch >= 0).implies(
            requested_leader(quorum_epoch).eq(quorum_leader) & latest_isr[quorum_epoch].eq(quorum_isr)
        ),
    ),
)
LOCAL_IS_REQUESTED = Property(
    "LocalIsRequested",
    (
        "A replica believes the request of its epoch; a presumed leader knows the latest ISR of its epoch. A "
        "replica that got no request knows nothing and has no records."
    ),
    forall(
        one,
        both(
            local_epoch[one].eq(-1).implies(local_leader[one].is_none() & end(one).eq(0) & local_isr[one].is_empty()),
            (local_epoch[one] >= 0).implies(local_leader[one].eq(requested_leader(local_epoch[one]))),
            ((local_epoch[one] >= 0) & presumes_leadership(one)).implies(
                local_isr[one].eq(latest_isr[local_epoch[one]])
            ),
            ((local_epoch[one] >= 0) & ~presumes_leadership(one)).implies(
                local_isr[one].eq(requested_isr(local_epoch[one]))
            ),
        ),
    ),
)
PENDING_ISR_AS_REQUESTED = Property(
    "PendingIsrAsRequested",
    "As long as an epoch has no leader, or its leader has not reached it, its ISR is the requested one.",
    forall(
        e,
        both(
            ((e <= quorum_epoch) & requested_leader(e).is_none()).implies(latest_isr[e].eq(requested_isr(e))),
            forall(
                one,
                ((e <= quorum_epoch) & leads(one, e) & (local_epoch[one] < e)).implies(
                    latest_isr[e].eq(requested_isr(e))
                ),
            ),
        ),
    ),
)
LEADER_IN_ITS_ISR = Property(
    "LeaderInItsIsr",
    "The leader of an epoch is in the ISR of its epoch: in the requested one and in the latest one.",
    forall(
        e,
        forall(
            one,
            ((e <= quorum_epoch) & leads(one, e)).implies(latest_isr[e].contains(one) & requested_isr(e).contains(one)),
        ),
    ),
)
CLOSED_EPOCHS = Property(
    "ClosedEpochs",
    "The ISR of a later epoch is within that of an earlier one, unless the earlier epoch is closed: one of its ISR "
    "members has moved on, so nothing can be committed in it any more.",
    forall(
        d,
        forall(
            e,
            forall(
                one,
                ((d < e) & (e <= quorum_epoch) & latest_isr[e].contains(one)).implies(
                    either(
                        latest_isr[d].contains(one),
                        exists(other, latest_isr[d].contains(other) & (d < local_epoch[other])),
                    )
                ),
            ),
        ),
    ),
)
LEADER_FIRST = Property(
    "LeaderFirst",
    "No replica follows in an epoch that its leader has not reached.",
    forall(one, forall(other, follows(one, other).implies(local_epoch[one] <= local_epoch[other]))),
)
SOMEBODY_LED = Property(
    "SomebodyLed",
    "A replica that has reached an epoch has a leader: a request without a leader moves no replica.",
    forall(one, (local_epoch[one] >= 0).implies(local_leader[one].is_some())),
)
ENTRIES_NOT_AHEAD = Property(
    "EntriesNotAhead",
    "No log holds a record of a later epoch than its replica has reached.",
    forall(one, forall(at, log[one].at(at).is_some().implies(log[one].at(at).value["epoch"] <= local_epoch[one]))),
)
LEADER_HAS_ITS_EPOCH = Property(
    "LeaderHasItsEpoch",
    "A presumed leader has every record of its own epoch that any log holds.",
    forall(
        one,
        forall(
            other,
            forall(
                at,
                (
                    presumes_leadership(one)
                    & log[other].at(at).is_some()
                    & log[other].at(at).value["epoch"].eq(local_epoch[one])
                ).implies(log[one].at(at).eq(log[other].at(at))),
            ),
        ),
    ),
)
EPOCH_STARTED = Property(
    "EpochStarted",
    "If a log holds a record of an epoch, the epoch has a leader and the leader has reached it.",
    forall(
        other,
        forall(
            at,
            forall(
                e,
                (log[other].at(at).is_some() & log[other].at(at).value["epoch"].eq(e)).implies(
                    requested_leader(e).is_some() & forall(one, leads(one, e).implies(e <= local_epoch[one]))
                ),
            ),
        ),
    ),
)
FOLLOWER_PREFIX = Property(
    "FollowerPrefix",
    "A follower in the same epoch as its presumed leader holds a prefix of the leader's log.",
    forall(
        one,
        forall(
            other,
            (presumes_leadership(other) & follows(one, other) & local_epoch[one].eq(local_epoch[other])).implies(
                (end(one) <= end(other)) & forall(at, (at < end(one)).implies(same_entry(one, other, at)))
            ),
        ),
    ),
)
COMMITS_HAVE_AN_EPOCH = Property(
    "CommitsHaveAnEpoch",
    "Every committed record was written in an epoch up to the one that committed it, and that epoch has a leader.",
    forall(
        at,
        is_committed(at).implies(
            both(
                committed.at(at).value["epoch"] <= commit_epoch(at),
                commit_epoch(at) <= quorum_epoch,
                requested_leader(commit_epoch(at)).is_some(),
            )
        ),
    ),
)
ISR_HOLDS_COMMITS = Property(
    "IsrHoldsCommits",
    "From the epoch of its commit on, every member of every epoch's ISR holds a committed record and has reached the "
    "epoch of the commit.",
    forall(
        at,
        forall(
            e,
            forall(
                one,
                both(is_committed(at), commit_epoch(at) <= e, e <= quorum_epoch, latest_isr[e].contains(one)).implies(
                    (commit_epoch(at) <= local_epoch[one]) & log[one].at(at).eq(committed.at(at))
                ),
            ),
        ),
    ),
)
HW_IS_COMMITTED = Property(
    "HwIsCommitted",
    "Below its high watermark a replica holds the committed records, and has reached the epochs of their commits.",
    forall(
        one,
        both(
            hw[one] <= committed.length(),
            forall(
                at,
                (at < hw[one]).implies(log[one].at(at).eq(committed.at(at)) & (commit_epoch(at) <= local_epoch[one])),
            ),
        ),
    ),
)
OWN_COMMITS_BELOW_HW = Property(
    "OwnCommitsBelowHw",
    "The high watermark of a presumed leader is beyond every offset that was committed in its own epoch.",
    forall(
        one,
        forall(
            at,
            (presumes_leadership(one) & is_committed(at) & commit_epoch(at).eq(local_epoch[one])).implies(at < hw[one]),
        ),
    ),
)
HW_AGREEMENT = Property(
    "HwAgreement",
    "Two replicas agree on every record below both of their high watermarks.",
    forall(one, forall(other, forall(at, ((at < hw[one]) & (at < hw[other])).implies(same_entry(one, other, at))))),
)

LEMMAS: tuple[Property, ...] = (
    EPOCHS_COUNTED,
    QUORUM_IS_LAST_REQUEST,
    LOCAL_IS_REQUESTED,
    PENDING_ISR_AS_REQUESTED,
    LEADER_IN_ITS_ISR,
    CLOSED_EPOCHS,
    LEADER_FIRST,
    SOMEBODY_LED,
    ENTRIES_NOT_AHEAD,
    LOG_MATCHING,
    LEADER_HAS_ITS_EPOCH,
    EPOCH_STARTED,
    FOLLOWER_PREFIX,
    COMMITS_HAVE_AN_EPOCH,
    ISR_HOLDS_COMMITS,
    HW_IS_COMMITTED,
    OWN_COMMITS_BELOW_HW,
)

SPARE: Mapping[str, str] = {
    ENTRIES_NOT_AHEAD.name: (
        "It follows from ClosedEpochs and EpochStarted wherever it is used, but by a long proof: one "
        "question without it takes as long as all the others together."
    ),
}
"""Lemmas that could be left out, and why they are kept. Without any one of the others some promise falls."""


def controller_writes_history(model: Model) -> dict[str, tuple[Update, ...]]:
    """The ISR that each action of the controller writes with a new epoch, as the first ISR of that epoch."""
    found: dict[str, tuple[Update, ...]] = {}
    for action in model.actions:
        written = {each.field: each.value for each in action.updates}
        if {quorum_isr, quorum_epoch} <= written.keys():
            found[action.name] = (update(latest_isr[written[quorum_epoch]], written[quorum_isr]),)
    return found


def with_history(model: Model, changes: Mapping[str, tuple[Update, ...]] | None = None) -> Model:
    """A replication model that also remembers what the lemmas speak about.

    Args:
        changes: what some actions do to the history instead, by action name.
    """
    names = {each.name for each in model.actions}
    wanted = {**HISTORY.updates, **controller_writes_history(model), **(changes or {})}
    history = replace(HISTORY, updates={name: each for name, each in wanted.items() if name in names})
    return remembering(model, history, "committed")


def goals(model: Model) -> tuple[Property, ...]:
    """Return the further properties that the lemmas prove of a model that promises StrongIsr."""
    return () if "StrongIsr" in model.suspended else (model.property("NoCommittedRecordLost"), HW_AGREEMENT)


SCRIPT = Lemmas(frozenset(each.expr for each in FIELDS), LEMMAS, with_history, goals, SPARE)
