"""The first attempt at KIP-320: the leader compares the epoch of the follower's last record, not its leader epoch.

A follower no longer truncates when it is asked to follow. It fetches at once, and truncates when the leader finds that
the logs differ. That is not enough: the leader may count a follower of an older epoch towards the high watermark, and
that follower then truncates the committed record on its way to the current epoch.
"""

from __future__ import annotations

from ..action import action
from ..expr import Expr, after, either, forall
from ..protocol import Behaviour
from .base import (
    adds_to_isr,
    fetched,
    leader_writes_isr,
    learns,
    ordered_to_follow,
    takes_out_of_isr,
    truncates,
)
from .kip279 import is_divergence
from .kip320 import reached_own_epoch
from .properties import truncation_prefix
from .state import (
    end,
    epoch,
    follower,
    follows,
    hw,
    leader,
    local_isr,
    log,
    offset,
    presumes_leadership,
)


def same_epoch_at(one: Expr, other: Expr, at: Expr) -> Expr:
    """Both logs have a record at the offset, of one epoch."""
    ours, theirs = log[one].at(at), log[other].at(at)
    return ours.is_some() & theirs.is_some() & ours.value["epoch"].eq(theirs.value["epoch"])


def is_caught_up_by_epoch(who: Expr, whom: Expr, to: Expr) -> Expr:
    """A follower of a presumed leader whose record just below the offset has the leader's epoch there."""
    return presumes_leadership(whom) & follows(who, whom) & to.ne(0).implies(same_epoch_at(whom, who, to - 1))


leader_shrink_isr = action(
    "LeaderShrinkIsr",
    "The leader removes from the ISR a follower that lacks some of its records, by offset and epoch.",
    leader,
    follower,
    guard=takes_out_of_isr(lags=~is_caught_up_by_epoch(follower, leader, end(leader))),
    updates=leader_writes_isr(local_isr[leader].remove(follower)),
)

leader_expand_isr = action(
    "LeaderExpandIsr",
    "The leader adds a follower that reached the high watermark, once the high watermark reached the leader's epoch.",
    leader,
    follower,
    guard={
        **adds_to_isr(reached=is_caught_up_by_epoch(follower, leader, hw[leader])),
        "high watermark reached the epoch": reached_own_epoch(leader),
    },
    updates=leader_writes_isr(local_isr[leader].insert(follower)),
)

leader_inc_high_watermark = action(
    "LeaderIncHighWatermark",
    "The leader commits its next record once every ISR member has a record of the same epoch at that offset.",
    leader,
    guard={
        "presumes leadership": presumes_leadership(leader),
        "leader has the offset": hw[leader] < end(leader),
        "every isr member has the offset": forall(
            follower,
            local_isr[leader].contains(follower).implies(is_caught_up_by_epoch(follower, leader, hw[leader] + 1)),
        ),
    },
    updates={hw[leader]: hw[leader] + 1},
)

become_follower = action(
    "BecomeFollower",
    "A replica follows a new leader; it truncates later, when a fetch shows that it must.",
    follower,
    leader,
    epoch,
    guard=ordered_to_follow(follower, leader, epoch),
    updates=learns(follower, epoch),
)

follower_truncate = action(
    "FollowerTruncate",
    "A follower whose last record differs from its leader's truncates to the last record that both have.",
    follower,
    leader,
    offset,
    guard={
        "presumes leadership": presumes_leadership(leader),
        "follows the leader": follows(follower, leader),
        "last records differ": either(
            end(leader) < end(follower),
            (end(follower) > 0) & (end(follower) <= end(leader)) & ~same_epoch_at(leader, follower, end(follower) - 1),
        ),
        "the logs diverge at the offset": is_divergence(leader, follower, offset),
    },
    updates=truncates(follower, offset),
)

follower_fetch = action(
    "FollowerFetch",
    "A follower whose last record has the leader's epoch there copies the next one.",
    follower,
    leader,
    guard={
        "last record has the leader's epoch": is_caught_up_by_epoch(follower, leader, end(follower)),
        "leader has the next record": end(follower) < end(leader),
    },
    updates=fetched(follower, leader),
)

TRUNCATION_PREFIX = truncation_prefix(lambda one: after(end(one)) < end(one), "A follower that has just truncated")

KIP_320_FIRST_TRY = Behaviour(
    "KIP-320 first try",
    "Fetches are fenced by the epoch of the follower's last record; it was never released.",
    replaces=(leader_shrink_isr, leader_expand_isr, leader_inc_high_watermark, become_follower, follower_fetch),
    adds=(follower_truncate,),
    properties=(TRUNCATION_PREFIX,),
    cites=("KIP-320",),
)
