"""KIP-497 (2.7): the leader asks the controller to change the ISR and goes on while it waits for the answer.

Before, the leader wrote the quorum itself and knew at once whether that succeeded. With AlterIsr there is a time when
the controller has accepted a larger ISR that the leader does not know of yet. The *maximal ISR* rule bridges it: until
the answer is there, the high watermark waits for everyone who may be in the ISR, the committed and the proposed
members. One request is in flight at a time. The answer may come late or never; a new LeaderAndIsr ends the wait.
"""

from __future__ import annotations

from dataclasses import replace

from ..action import Update, action, update, waived
from ..expr import Expr, field, fill, forall, none, record, some, var
from ..property import Property
from ..protocol import Behaviour, starts
from ..sorts import Bool, MapOf, OptionOf, Record, SetOf
from . import base
from .kip320 import (
    ALREADY_IN_IT,
    NO_LEADER_LAGS,
    NOT_IN_IT,
    SAFE_AT_ANY_TIME,
    become_follower,
    reached_own_epoch,
)
from .state import (
    Replica,
    end,
    follower,
    follows_in_same_epoch,
    hw,
    leader,
    local_epoch,
    local_isr,
    presumes_leadership,
    quorum_epoch,
    quorum_isr,
    quorum_leader,
    replica,
)

AlterIsr = Record("AlterIsr", isr=SetOf(Replica), accepted=Bool)
proposed = field("proposed", MapOf(Replica, OptionOf(AlterIsr)))
_anyone = var("anyone", Replica)


def maximal_isr(of: Expr) -> Expr:
    """Everyone who is in the ISR as the leader knows it, or may be in it by a request of its own."""
    return local_isr[of].union(proposed[of].value["isr"])


def asks_for(isr: Expr) -> dict[Expr, Expr]:
    """The leader sends an AlterIsr request."""
    return {proposed[leader]: some(record(AlterIsr, isr=isr, accepted=False))}


def _forgets(who: Expr) -> tuple[Update, ...]:
    return (update(proposed[who], none(AlterIsr)),)


become_leader = replace(base.become_leader, updates=base.become_leader.updates + _forgets(replica))
become_follower = replace(become_follower, updates=become_follower.updates + _forgets(follower))

leader_shrink_isr = action(
    "LeaderShrinkIsr",
    ("The leader asks to remove from the ISR a follower that is in another epoch or lacks some of its records."),
    leader,
    follower,
    guard={
        "presumes leadership": presumes_leadership(leader),
        "no request in flight": proposed[leader].is_none(),
        "in the isr": waived(local_isr[leader].contains(follower), NOT_IN_IT),
        "not the leader itself": waived(leader.ne(follower), NO_LEADER_LAGS),
        "other epoch, or lags": waived(
            follows_in_same_epoch(follower, leader).implies(end(follower) < end(leader)), SAFE_AT_ANY_TIME
        ),
    },
    updates=asks_for(local_isr[leader].remove(follower)),
    cites=("KIP-497",),
)

leader_expand_isr = action(
    "LeaderExpandIsr",
    ("The leader asks to add to the ISR a follower of its own epoch, once no earlier commit can be missing from it."),
    leader,
    follower,
    guard={
        "presumes leadership": waived(
            presumes_leadership(leader), "a replica that follows it in the same epoch follows a presumed leader"
        ),
        "no request in flight": proposed[leader].is_none(),
        "outside the isr": waived(~local_isr[leader].contains(follower), ALREADY_IN_IT),
        "follows in the same epoch": follows_in_same_epoch(follower, leader),
        "reached the high watermark": hw[leader] <= end(follower),
        "high watermark reached the epoch": reached_own_epoch(leader),
    },
    updates=asks_for(local_isr[leader].insert(follower)),
    cites=("KIP-497",),
)

controller_alter_isr = action(
    "ControllerAlterIsr",
    "The controller writes the ISR that the leader of the current epoch asked for.",
    leader,
    guard={
        "a request is in flight": proposed[leader].is_some() & ~proposed[leader].value["accepted"],
        "leads as the quorum has it": waived(
            quorum_leader.eq(some(leader)), "an epoch has one leader: the quorum's epoch already shows it"
        ),
        "in the current epoch": local_epoch[leader].eq(quorum_epoch),
    },
    updates={
        quorum_isr: proposed[leader].value["isr"],
        proposed[leader]: some(proposed[leader].value.changed(accepted=True)),
    },
    cites=("KIP-497",),
)

leader_learns_isr = action(
    "LeaderLearnsIsr",
    "The answer reaches the leader: its request was accepted.",
    leader,
    guard={"the request was accepted": proposed[leader].value["accepted"]},
    updates={local_isr[leader]: proposed[leader].value["isr"], proposed[leader]: none(AlterIsr)},
    cites=("KIP-497",),
)

leader_inc_high_watermark = action(
    "LeaderIncHighWatermark",
    "The leader commits its next record once every member of the maximal ISR follows in its epoch and has that record.",
    leader,
    guard={
        "leader has the offset": hw[leader] < end(leader),
        "every maximal isr member follows in the same epoch": forall(
            follower, maximal_isr(leader).contains(follower).implies(follows_in_same_epoch(follower, leader))
        ),
        "every maximal isr member has the offset": forall(
            follower, maximal_isr(leader).contains(follower).implies(hw[leader] < end(follower))
        ),
    },
    updates={hw[leader]: hw[leader] + 1},
    cites=("KIP-497",),
)

ONE_LEADER_ASKS = Property(
    "LeaderStaysInProposedIsr",
    "No leader asks for an ISR without itself.",
    forall(_anyone, proposed[_anyone].is_some().implies(proposed[_anyone].value["isr"].contains(_anyone))),
)
ACCEPTED_BUT_UNKNOWN = Property(
    "AcceptedButUnknown",
    "The controller has accepted a larger ISR that the leader does not know of yet.",
    forall(
        _anyone,
        quorum_leader.eq(some(_anyone)).implies(
            proposed[_anyone].value["accepted"]
            & ~quorum_isr.subset_of(local_isr[_anyone])
            & local_epoch[_anyone].eq(quorum_epoch)
        ),
    )
    & quorum_leader.is_some(),
    "sometimes",
)

KIP_497 = Behaviour(
    "KIP-497",
    "The leader asks the controller for ISR changes; meanwhile the high watermark waits for the maximal ISR.",
    replaces=(become_leader, become_follower, leader_shrink_isr, leader_expand_isr, leader_inc_high_watermark),
    adds=(controller_alter_isr, leader_learns_isr),
    fields=(starts(proposed, fill(proposed.sort, None), "the AlterIsr request that each leader has in flight"),),
    properties=(ONE_LEADER_ASKS, ACCEPTED_BUT_UNKNOWN),
    cites=("KIP-497", "KAFKA-8836"),
)

NO_MAXIMAL_ISR = Behaviour(
    "KIP-497 without the maximal ISR",
    "The high watermark waits for the committed ISR only: it passes a replica that the controller has just added.",
    replaces=(
        action(
            "LeaderIncHighWatermark",
            "The leader commits its next record once every ISR member that it knows of has it.",
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
        ),
    ),
)
