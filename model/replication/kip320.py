"""KIP-320: every fetch carries the follower's leader epoch, and the leader answers only followers of its own epoch.

1. A follower truncates whenever its leader epoch grows, and only against a leader that has reached that same epoch: the
   log of a leader of another epoch may still change.
2. The leader advances the high watermark only if every ISR member follows it in its own epoch.
3. Shrinking the ISR is always safe. A follower may join the ISR when it has reached the high watermark, and when the
   high watermark has reached the leader's own epoch: until then the leader cannot know what its predecessor committed.

It was released with 2.1 (KAFKA-7128 of 2.0.1 brought the second half of rule 3).
"""

from __future__ import annotations

from ..action import action
from ..expr import Expr, either, forall
from ..protocol import Behaviour
from .base import fetched, leader_writes_isr, learns, told_to_follow, truncates
from .kip279 import is_divergence
from .state import (
    end,
    epoch,
    follower,
    follows_in_same_epoch,
    hw,
    is_true_leader,
    leader,
    local_epoch,
    local_isr,
    log,
    offset,
    presumes_leadership,
)


def reached_own_epoch(whom: Expr) -> Expr:
    """All records below the leader's own epoch are below its high watermark."""
    at_hw = log[whom].at(hw[whom])
    return either(
        hw[whom].eq(end(whom)),
        at_hw.is_some() & at_hw.value["epoch"].eq(local_epoch[whom]),
    )


leader_shrink_isr = action(
    "LeaderShrinkIsr",
    "The leader takes a follower out of the ISR that is in another epoch or has not all of its records.",
    leader,
    follower,
    guard={
        "is the true leader": is_true_leader(leader),
        "in the isr": local_isr[leader].contains(follower),
        "not the leader itself": leader.ne(follower),
        "other epoch, or lags": either(
            ~follows_in_same_epoch(follower, leader),
            end(follower) < end(leader),
        ),
    },
    updates=leader_writes_isr(local_isr[leader].remove(follower)),
    cites=("KIP-320",),
)

leader_expand_isr = action(
    "LeaderExpandIsr",
    "The leader adds a follower of its own epoch to the ISR, once no earlier commit can be missing from it.",
    leader,
    follower,
    guard={
        "is the true leader": is_true_leader(leader),
        "outside the isr": ~local_isr[leader].contains(follower),
        "follows in the same epoch": follows_in_same_epoch(follower, leader),
        "reached the high watermark": hw[leader] <= end(follower),
        "high watermark reached the epoch": reached_own_epoch(leader),
    },
    updates=leader_writes_isr(local_isr[leader].insert(follower)),
    cites=("KIP-320", "KAFKA-7128"),
)

leader_inc_high_watermark = action(
    "LeaderIncHighWatermark",
    "The leader commits its next record once every ISR member follows it in its epoch and has that record.",
    leader,
    guard={
        "leader has the offset": hw[leader] < end(leader),
        "every isr member follows in the same epoch": forall(
            follower, local_isr[leader].contains(follower).implies(follows_in_same_epoch(follower, leader))
        ),
        "every isr member has the offset": forall(
            follower, local_isr[leader].contains(follower).implies(hw[leader] < end(follower))
        ),
    },
    updates={hw[leader]: hw[leader] + 1},
    cites=("KIP-320",),
)

become_follower = action(
    "BecomeFollower",
    "A replica follows a new leader that has reached the new epoch; it truncates to the last record that both have.",
    follower,
    leader,
    epoch,
    offset,
    guard={
        **told_to_follow(follower, leader, epoch),
        "leader presumes leadership": presumes_leadership(leader),
        "leader reached the epoch": local_epoch[leader].eq(epoch),
        "offset is where the logs part": is_divergence(leader, follower, offset),
    },
    updates=learns(follower, epoch) | truncates(follower, offset),
    cites=("KIP-320",),
)

follower_fetch = action(
    "FollowerFetch",
    "A follower copies the next record of a leader of its own epoch.",
    follower,
    leader,
    guard={
        "follows in the same epoch": follows_in_same_epoch(follower, leader),
        "leader has the next record": end(follower) < end(leader),
    },
    updates=fetched(follower, leader),
    cites=("KIP-320", "KAFKA-7395"),
)

KIP_320 = Behaviour(
    "KIP-320",
    "Fetches, truncation and ISR changes are fenced by the leader epoch.",
    replaces=(leader_shrink_isr, leader_expand_isr, leader_inc_high_watermark, become_follower, follower_fetch),
    cites=("KIP-320", "KAFKA-6880", "KAFKA-7395", "KAFKA-7128"),
    breaks_without=("WeakIsr", "StrongIsr"),
)
