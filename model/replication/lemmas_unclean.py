"""Lemmas that show that no record committed since the last unclean election is lost.

An unclean election lets committed records go, so the lemmas of `lemmas.py` about them fail. True leaders' commits after
it are a protocol of its own, which starts with that leader's log: `IsrHoldsKept` says of the records kept since then
what `IsrHoldsCommits` says of all committed ones, for the epochs since then. It is simpler, since zombies do not count:
records are kept in the quorum's epoch.

Read them with `kept_until[e]` in mind: the offset up to which records were kept when epoch `e` ended, or now.
"""

from __future__ import annotations

from ..action import update
from ..expr import Expr, both, field, fill, forall, ite
from ..property import Property
from ..protocol import Ghosts, Model, starts
from ..script import Lemmas, remembering
from ..sorts import Int, MapOf
from . import lemmas
from .lemmas import at, d, e, latest_isr, one
from .state import (
    LOG_SIZE,
    MAX_LEADER_EPOCH,
    Epoch,
    hw,
    is_true_leader,
    leader,
    local_epoch,
    log,
    next_leader_epoch,
    presumes_leadership,
    quorum_epoch,
)
from .unclean import kept

kept_until = field("kept_until", MapOf(Epoch, Int(0, LOG_SIZE)))
last_unclean = field("last_unclean", Int(0, MAX_LEADER_EPOCH))

KEPT_HISTORY = Ghosts(
    "kept history",
    (
        starts(kept_until, fill(kept_until.sort, 0), "by epoch, the number of records kept when it ended"),
        starts(last_unclean, 0, "the epoch of the last unclean election; 0 before the first"),
    ),
    updates={
        "LeaderIncHighWatermark": (
            update(
                kept_until[local_epoch[leader]],
                ite(
                    is_true_leader(leader) & (kept.length() <= hw[leader]),
                    hw[leader] + 1,
                    kept_until[local_epoch[leader]],
                ),
            ),
        ),
        "ControllerElectLeader": (update(kept_until[next_leader_epoch], kept.length()),),
        "ControllerShrinkIsr": (update(kept_until[next_leader_epoch], kept.length()),),
        "ControllerElectUnclean": (
            update(kept_until[next_leader_epoch], 0),
            update(last_unclean, next_leader_epoch),
        ),
    },
)


def is_kept(offset: Expr, by: Expr) -> Expr:
    """The record was kept when epoch `by` ended (or is kept now), and no unclean election came after it."""
    return both(last_unclean <= by, by <= quorum_epoch, offset < kept_until[by])


KEPT_COUNTED = Property(
    "KeptCounted",
    (
        "As many records are kept as in the quorum's epoch, and since the last unclean election never fewer "
        "than in an earlier epoch."
    ),
    both(
        quorum_epoch.eq(-1).implies(kept.length().eq(0) & last_unclean.eq(0)),
        (quorum_epoch >= 0).implies(kept.length().eq(kept_until[quorum_epoch]) & (last_unclean <= quorum_epoch)),
        forall(
            d, forall(e, both(last_unclean <= d, d <= e, e <= quorum_epoch).implies(kept_until[d] <= kept_until[e]))
        ),
    ),
)
ISR_REACHED_KEPT = Property(
    "IsrReachedKept",
    (
        "Every member of an epoch's ISR, since the last unclean election, has reached an epoch in which as "
        "many records were kept, if any were."
    ),
    forall(
        e,
        forall(
            one,
            both(last_unclean <= e, e <= quorum_epoch, kept_until[e] > 0, latest_isr[e].contains(one)).implies(
                (last_unclean <= local_epoch[one]) & (kept_until[e] <= kept_until[local_epoch[one]])
            ),
        ),
    ),
)
ISR_HOLDS_KEPT = Property(
    "IsrHoldsKept",
    "Every member of an epoch's ISR, since the last unclean election, has the records kept in that epoch.",
    forall(
        at,
        forall(
            e,
            forall(one, (is_kept(at, e) & latest_isr[e].contains(one)).implies(log[one].at(at).eq(kept.at(at)))),
        ),
    ),
)
OWN_KEPT_BELOW_HW = Property(
    "OwnKeptBelowHw",
    "The high watermark of a presumed leader is beyond every record of its own epoch that is kept.",
    forall(
        one,
        forall(
            at,
            both(
                presumes_leadership(one),
                is_kept(at, local_epoch[one]),
                kept.at(at).value["epoch"].eq(local_epoch[one]),
            ).implies(at < hw[one]),
        ),
    ),
)

_OF_ALL_COMMITS = ("ClosedEpochs", "CommitsHaveAnEpoch", "IsrHoldsCommits", "HwIsCommitted", "OwnCommitsBelowHw")
LEMMAS: tuple[Property, ...] = (
    *(each for each in lemmas.LEMMAS if each.name not in ("SomebodyLed", *_OF_ALL_COMMITS)),
    KEPT_COUNTED,
    ISR_REACHED_KEPT,
    ISR_HOLDS_KEPT,
    OWN_KEPT_BELOW_HW,
)
SPARE = lemmas.SPARE


def with_history(model: Model) -> Model:
    """A model with unclean elections that remembers how much was kept in each epoch."""
    return remembering(lemmas.with_history(model), KEPT_HISTORY)


SCRIPT = Lemmas(lemmas.SCRIPT.fields | {kept}, LEMMAS, with_history, lemmas.goals, SPARE)
