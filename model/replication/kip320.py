"""KIP-320: every fetch carries the follower's leader epoch, and the leader answers only followers of its own epoch.

1. A follower truncates whenever its leader epoch grows, and only against a leader that has reached that same epoch: the
   log of a leader of another epoch may still change.
2. The leader advances the high watermark only if every ISR member follows it in its own epoch.
3. Shrinking the ISR is always safe. A follower may join the ISR when it has reached the high watermark, and when the
   high watermark has reached the leader's own epoch: until then the leader cannot know what its predecessor committed.

It was released with 2.1 (KAFKA-7128 of 2.0.1 brought the second half of rule 3).
"""

from __future__ import annotations

from ..action import Clause, action, waived
from ..expr import Expr, either, forall, some
from ..protocol import Behaviour
from .base import (
    fetched,
    leader_writes_isr,
    leads_by_quorum,
    learns,
    ordered_to_follow,
    truncates,
)
from .kip279 import is_divergence
from .state import (
    end,
    epoch,
    follower,
    follows,
    follows_in_same_epoch,
    hw,
    leader,
    local_epoch,
    local_isr,
    log,
    offset,
    presumes_leadership,
    requests,
)

# Why clauses are waived, here and in KIP-497.
_BY_EPOCH = "an epoch has one leader: being in the same epoch already shows it"
NOT_IN_IT = "removing a replica that is not in it changes nothing"
ALREADY_IN_IT = "adding a member again changes nothing"
NO_LEADER_LAGS = "no leader lags behind itself, or is in another epoch"
SAFE_AT_ANY_TIME = "removing a member from the ISR is safe at any time; Kafka removes only lagging ones"


def same_epoch(who: Expr, whom: Expr) -> dict[str, Expr | Clause]:
    """The guard of a step with a follower and its leader: both are in one epoch, of that leader."""
    return {
        "leader presumes leadership": waived(presumes_leadership(whom), _BY_EPOCH),
        "follows the leader": waived(follows(who, whom), _BY_EPOCH),
        "in the same epoch": local_epoch[who].eq(local_epoch[whom]),
    }


def every_isr_member(condition: Expr) -> Expr:
    """The condition on `follower` holds for every member of the leader's local ISR."""
    return forall(follower, local_isr[leader].contains(follower).implies(condition))


def reached_own_epoch(whom: Expr) -> Expr:
    """All records below the leader's own epoch are below its high watermark."""
    at_hw = log[whom].at(hw[whom])
    return either(
        hw[whom].eq(end(whom)),
        at_hw.is_some() & at_hw.value["epoch"].eq(local_epoch[whom]),
    )


leader_shrink_isr = action(
    "LeaderShrinkIsr",
    "The leader removes from the ISR a follower that is in another epoch or lacks some of its records.",
    leader,
    follower,
    guard={
        **leads_by_quorum(leader),
        "in the isr": waived(local_isr[leader].contains(follower), NOT_IN_IT),
        "not the leader itself": waived(leader.ne(follower), NO_LEADER_LAGS),
        "other epoch, or lags": waived(
            either(~follows_in_same_epoch(follower, leader), end(follower) < end(leader)), SAFE_AT_ANY_TIME
        ),
    },
    updates=leader_writes_isr(local_isr[leader].remove(follower)),
    cites=("KIP-320",),
)

leader_expand_isr = action(
    "LeaderExpandIsr",
    ("The leader adds to the ISR a follower of its own epoch, once no earlier commit can be missing from it."),
    leader,
    follower,
    guard={
        **leads_by_quorum(leader),
        "outside the isr": waived(~local_isr[leader].contains(follower), ALREADY_IN_IT),
        **same_epoch(follower, leader),
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
        "leader presumes leadership": waived(every_isr_member(presumes_leadership(leader)), _BY_EPOCH),
        "every isr member follows the leader": waived(every_isr_member(follows(follower, leader)), _BY_EPOCH),
        "every isr member is in the same epoch": every_isr_member(local_epoch[follower].eq(local_epoch[leader])),
        "every isr member has the offset": every_isr_member(hw[leader] < end(follower)),
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
        **ordered_to_follow(follower, leader, epoch),
        "another replica leads": waived(follower.ne(leader), "no replica reaches an epoch before itself"),
        "request names the leader": waived(requests[epoch].value["leader"].eq(some(leader)), _BY_EPOCH),
        "leader presumes leadership": waived(presumes_leadership(leader), _BY_EPOCH),
        "leader reached the epoch": local_epoch[leader].eq(epoch),
        "the logs diverge at the offset": is_divergence(leader, follower, offset),
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
        **same_epoch(follower, leader),
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
