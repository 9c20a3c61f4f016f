"""The promises of replication, and properties that show that a model is alive."""

from __future__ import annotations

from collections.abc import Callable

from .. import views
from ..action import update
from ..expr import Expr, after, exists, field, forall, full, ite, var
from ..property import Property
from ..protocol import Ghosts, starts
from ..sorts import Int, SeqOf
from .state import (
    LOG_SIZE,
    PARTITION_OF_QUORUM,
    Entry,
    Replica,
    end,
    hw,
    is_true_leader,
    leader,
    local_epoch,
    local_isr,
    local_leader,
    log,
    presumes_leadership,
    quorum_isr,
    same_entry,
)

one, other = var("one", Replica), var("other", Replica)
at, below = var("at", Int(0, LOG_SIZE - 1)), var("below", Int(0, LOG_SIZE - 1))

WEAK_ISR = Property(
    "WeakIsr",
    "Below the high watermark of a presumed leader, all members of the ISR that it believes in have its records.",
    forall(
        one,
        presumes_leadership(one).implies(
            forall(
                other,
                local_isr[one].contains(other).implies(forall(at, (at < hw[one]).implies(same_entry(one, other, at)))),
            )
        ),
    ),
)
STRONG_ISR = Property(
    "StrongIsr",
    (
        "Below the high watermark of a presumed leader, all members of the quorum's ISR have its records: a "
        "leader elected from it has every record that a consumer may have seen."
    ),
    forall(
        one,
        presumes_leadership(one).implies(
            forall(
                other,
                quorum_isr.contains(other).implies(forall(at, (at < hw[one]).implies(same_entry(one, other, at)))),
            )
        ),
    ),
)
LOG_MATCHING = Property(
    "LogMatching",
    "Two logs with records of one epoch at one offset are equal up to that offset.",
    forall(
        one,
        forall(
            other,
            forall(
                at,
                (
                    log[one].at(at).is_some()
                    & log[other].at(at).is_some()
                    & log[one].at(at).value["epoch"].eq(log[other].at(at).value["epoch"])
                ).implies(forall(below, (below <= at).implies(log[one].at(below).eq(log[other].at(below))))),
            ),
        ),
    ),
)


def truncation_prefix(truncated: Callable[[Expr], Expr], who: str) -> Property:
    """TruncationPrefix, for what a rung of the ladder calls truncating: a condition over a replica's step."""
    follows_a_prefix = forall(
        other,
        after(local_leader[one].set().contains(other)).implies(
            forall(at, (at < after(end(one))).implies(after(same_entry(one, other, at))))
        ),
    )
    return Property(
        "TruncationPrefix",
        f"{who} holds a prefix of its leader's log.",
        forall(one, truncated(one).implies(follows_a_prefix)),
        "step",
    )


TRUNCATION_PREFIX = truncation_prefix(
    lambda one: after(local_epoch[one]).ne(local_epoch[one]),
    "A follower that has just taken up a leader epoch, and truncated for it,",
)
HIGH_WATERMARK_MONOTONE = views.Projection(
    views.REPLICA,
    {},
    {"leads": presumes_leadership(one), "leader_epoch": local_epoch[one], "high_watermark": hw[one]},
    key=one,
).of(views.HIGH_WATERMARK_MONOTONE)

TRUNCATION_WITHIN_LEADER = views.Projection(
    views.LOG,
    {},
    {
        "cut": after(end(one)) < end(one),
        "log_end": end(one),
        "leader_end": end(local_leader[one].get(one)),
    },
    key=one,
).of(views.TRUNCATION_WITHIN_LEADER)

RECORD_COMMITS = Property(
    "RecordCommits", "A record is committed.", exists(one, presumes_leadership(one) & (hw[one] > 0)), "sometimes"
)
LEADER_CHANGES_AFTER_COMMIT = Property(
    "LeaderChangesAfterCommit",
    "A leader holds a committed record of an earlier leader.",
    exists(
        one,
        presumes_leadership(one) & exists(at, (at < hw[one]) & (log[one].at(at).value["epoch"] < local_epoch[one])),
    ),
    "sometimes",
)
ISR_GROWS_AGAIN = Property(
    "IsrGrowsAgain",
    "The ISR has shrunk (it starts complete) and grows again.",
    quorum_isr.ne(after(quorum_isr)) & quorum_isr.subset_of(after(quorum_isr)),
    "sometimes",
)
ISR_SHRINKS = Property(
    "IsrShrinks", "The ISR is smaller than the assignment.", quorum_isr.ne(full(Replica)), "sometimes"
)
TRUNCATION_HAPPENS = Property(
    "TruncationHappens", "A replica cuts records off its log.", exists(one, after(end(one)) < end(one)), "sometimes"
)

PROPERTIES = (
    WEAK_ISR,
    STRONG_ISR,
    *(
        PARTITION_OF_QUORUM.of(prop)
        for prop in (
            views.LEADER_IN_ISR,
            views.ISR_NOT_EMPTY,
            views.LEADER_EPOCH_NEVER_FALLS,
            views.ONE_LEADER_PER_EPOCH,
            views.LEADER_FROM_ISR,
        )
    ),
    LOG_MATCHING,
    TRUNCATION_PREFIX,
    TRUNCATION_WITHIN_LEADER,
    HIGH_WATERMARK_MONOTONE,
    RECORD_COMMITS,
    LEADER_CHANGES_AFTER_COMMIT,
    ISR_SHRINKS,
    ISR_GROWS_AGAIN,
    TRUNCATION_HAPPENS,
)

committed = field("committed", SeqOf(Entry, LOG_SIZE))
COMMITTED = Ghosts(
    "committed",
    (starts(committed, (), "the records ever committed, in the order of their offsets"),),
    updates={
        "LeaderIncHighWatermark": (
            update(
                committed,
                ite(committed.length() <= hw[leader], committed.append(log[leader].at(hw[leader]).value), committed),
            ),
        )
    },
    properties=(
        Property(
            "NoCommittedRecordLost",
            "The leader in the quorum's epoch has every record ever committed.",
            forall(
                one,
                is_true_leader(one).implies(
                    forall(at, (at < committed.length()).implies(log[one].at(at).eq(committed.at(at))))
                ),
            ),
        ),
        views.Projection(
            views.LOG,
            {},
            {"leads": is_true_leader(one), "log_end": end(one), "committed": committed.length()},
            key=one,
        ).of(views.COMMITTED_WITHIN_LOG),
    ),
)
