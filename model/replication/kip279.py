"""KIP-279: a new follower truncates to the last record that it has in common with its leader.

Without it, two quick changes of leader leave logs that differ below what KIP-101 compares. The TLA+ module, and so this
one, compares whole records, ids included. Brokers cannot do that: they exchange (epoch, end offset) pairs in rounds
until they agree. The offset they find is the same as long as one epoch has one writer.
"""

from __future__ import annotations

from ..action import action
from ..expr import Expr, either, forall, var
from ..protocol import Behaviour
from ..sorts import Int
from .base import learns, ordered_to_follow, truncates
from .state import LOG_SIZE, end, epoch, follower, leader, offset, same_entry

_at = var("at", Int(0, LOG_SIZE - 1))


def is_divergence(whom: Expr, who: Expr, at: Expr) -> Expr:
    """The offset after the last record that both logs have: 0 if there is none."""
    last_in_common = at.ne(0).implies(same_entry(whom, who, at - 1))
    none_in_common_beyond = forall(_at, (at <= _at).implies(~same_entry(whom, who, _at)))
    return last_in_common & none_in_common_beyond


become_follower = action(
    "BecomeFollower",
    "A replica follows a new leader; it truncates to the last record that both have.",
    follower,
    leader,
    epoch,
    offset,
    guard={
        **ordered_to_follow(follower, leader, epoch),
        "the logs diverge at the offset": either(
            end(follower).eq(0) & offset.eq(0),
            is_divergence(leader, follower, offset),
        ),
        "truncates, never extends": offset <= end(follower),
    },
    updates=learns(follower, epoch) | truncates(follower, offset),
    cites=("KIP-279", "KAFKA-6361"),
)

KIP_279 = Behaviour(
    "KIP-279",
    (
        "A follower truncates to the last record that it has in common with its leader. The model compares "
        "record ids; brokers cannot, so they exchange epochs and end offsets in rounds."
    ),
    replaces=(become_follower,),
    cites=("KIP-279", "KAFKA-6361"),
    breaks_without=("StrongIsr", "TruncationPrefix"),
)
