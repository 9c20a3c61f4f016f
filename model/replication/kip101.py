"""KIP-101: a new follower asks the leader where the epoch of its last record ends, and truncates there.

Without it, a follower truncates to its own high watermark, which lags: it can lose a committed record and then lead.
"""

from __future__ import annotations

from ..action import action
from ..expr import Expr, either, forall, ite, var
from ..protocol import Behaviour
from ..sorts import Int
from .base import learns, ordered_to_follow, truncates
from .state import LOG_SIZE, end, epoch, follower, hw, leader, log, offset

_at = var("at", Int(0, LOG_SIZE - 1))


def last_epoch(of: Expr) -> Expr:
    """The epoch of the replica's last record (0 for an empty log)."""
    return log[of].at(end(of) - 1).value["epoch"]


def epoch_is_larger(of: Expr, at: Expr, than: Expr) -> Expr:
    """The replica has a record at the offset, and its epoch is larger."""
    return log[of].at(at).is_some() & (than < log[of].at(at).value["epoch"])


def is_end_of_epoch(whom: Expr, who: Expr, of_epoch: Expr, at: Expr) -> Expr:
    """Check whether `at` is the leader's answer: the offset where the epoch ends in its log.

    That is its log end, if its last record has that epoch; else its first record of a larger epoch; and if it knows
    neither, the follower falls back to its own high watermark.
    """
    larger_follow = forall(_at, epoch_is_larger(whom, _at, of_epoch).implies(at <= _at))
    none_larger = forall(_at, ~epoch_is_larger(whom, _at, of_epoch))
    return ite(
        end(whom).eq(0),
        at.eq(hw[who]),
        ite(
            last_epoch(whom).eq(of_epoch),
            at.eq(end(whom)),
            ite(none_larger, at.eq(hw[who]), epoch_is_larger(whom, at, of_epoch) & larger_follow),
        ),
    )


become_follower = action(
    "BecomeFollower",
    (
        "A replica follows a new leader; it truncates to the offset at which, according to the leader, the "
        "epoch of its last record ends."
    ),
    follower,
    leader,
    epoch,
    offset,
    guard={
        **ordered_to_follow(follower, leader, epoch),
        "offset ends the epoch of the last record": either(
            end(follower).eq(0) & offset.eq(0),
            (end(follower) > 0) & is_end_of_epoch(leader, follower, last_epoch(follower), offset),
        ),
        "truncates, never extends": offset <= end(follower),
    },
    updates=learns(follower, epoch) | truncates(follower, offset),
    cites=("KIP-101",),
)

KIP_101 = Behaviour(
    "KIP-101",
    (
        "A follower truncates to the offset at which its log diverges by its leader's epochs, not to its own "
        "high watermark."
    ),
    replaces=(become_follower,),
    cites=("KIP-101", "KAFKA-1211"),
    breaks_without=("WeakIsr", "StrongIsr"),
)
