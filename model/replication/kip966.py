"""acks=all, min.insync.replicas, and KIP-966: the last replica standing and the eligible leader replicas (ELR).

A producer with acks=all is answered once its record is committed while the ISR has at least min.insync.replicas
members. Brokers can crash and lose the unflushed end of their log. Before KIP-966 that could lose an acknowledged
record although fewer than min.insync.replicas brokers crashed: the ISR shrinks to one member (the last replica
standing), that one crashes, stays in the ISR since it is the last, and is elected again without the record. KIP-966:
the high watermark rests while the ISR is too small, members that leave a small ISR are remembered in the ELR and may be
elected, and whoever crashed is in neither.
"""

from __future__ import annotations

from dataclasses import replace

from ..action import Action, Clause, action, update, waived
from ..expr import (
    Expr,
    after,
    const,
    exists,
    field,
    fill,
    forall,
    ite,
    none,
    setting,
    some,
    var,
)
from ..property import Property
from ..protocol import Behaviour, Ghosts, starts
from ..sorts import Int, MapOf, OptionOf, SetOf, Setting
from . import base, kip320
from .base import EPOCHS_LEFT, ONLY_THE_EPOCH, controller_writes
from .state import (
    LOG_SIZE,
    Entry,
    Replica,
    end,
    follower,
    hw,
    is_true_leader,
    leader,
    local_epoch,
    local_isr,
    local_leader,
    log,
    next_leader_epoch,
    offset,
    only,
    presumes_leadership,
    quorum_isr,
    quorum_leader,
    replica,
)

MIN_ISR = Setting("min_insync_replicas", 2, "acks=all is answered only while the ISR has this many members", at_least=1)
_one, _at = var("one", Replica), var("at", Int(0, LOG_SIZE - 1))

crashes = field("crashes", Int(0, MIN_ISR))
elr = field("elr", SetOf(Replica))


def nobody() -> Expr:
    """The empty set of replicas."""
    return const(frozenset(), SetOf(Replica))


def large_enough(isr: Expr) -> Expr:
    return setting(MIN_ISR) <= isr.size()


def loses_its_end(who: Expr, to: Expr) -> dict[Expr, Expr]:
    """Return the effects of a crash on a broker: the log is cut, the leader is forgotten.

    When it is back it has read the metadata up to its own registration: requests of its earlier life are not obeyed
    (KIP-380). Otherwise it would become the leader by an old request, and its follower would truncate.
    """
    return {
        **base.truncates(who, to),
        local_epoch[who]: next_leader_epoch,
        local_leader[who]: none(Replica),
        local_isr[who]: nobody(),
        crashes: crashes + 1,
    }


LOSES_RECORDS: dict[str, Expr | Clause] = {
    "loses records": waived(offset < end(replica), "a crash that loses nothing does no harm")
}
# With KIP-966 nothing is lost however many crash; there this only keeps the search small.
FEW_CRASHES = {"fewer crashes than the minimum isr": crashes + 1 < MIN_ISR}

crash = action(
    "UncleanShutdown",
    ("A broker crashes and loses the end of its log. The controller removes it from the ISR, unless it is the last."),
    replica,
    offset,
    guard={**LOSES_RECORDS, **FEW_CRASHES},
    limits=EPOCHS_LEFT,
    updates={
        **loses_its_end(replica, offset),
        **controller_writes(
            ite(quorum_leader.eq(some(replica)), none(Replica), quorum_leader),
            ite(quorum_isr.eq(only(replica)), quorum_isr, quorum_isr.remove(replica)),
        ),
    },
    cites=("KIP-966",),
)


def _waiving(before: Action, label: str, why: str) -> tuple[Clause, ...]:
    """The guard of an action with another reason, or none, why one of its clauses may be left out."""
    return tuple(replace(each, waiver=why) if each.label == label else each for each in before.guard)


# Who is back after a crash is in the newest epoch and follows nobody yet. So, other than in KIP-320, to be in the
# leader's epoch does not show that a replica follows it.
leader_expand_isr = replace(
    kip320.leader_expand_isr, guard=_waiving(kip320.leader_expand_isr, "follows the leader", "")
)
follower_fetch = replace(kip320.follower_fetch, guard=_waiving(kip320.follower_fetch, "follows the leader", ""))

acknowledged = field("acknowledged", MapOf(_at.sort, OptionOf(Entry)))
ACKNOWLEDGED = Ghosts(
    "acknowledged",
    (
        starts(
            acknowledged, fill(acknowledged.sort, None), "by offset, the records that acks=all producers saw answered"
        ),
    ),
    updates={
        "LeaderIncHighWatermark": (
            update(
                acknowledged[hw[leader]],
                ite(large_enough(local_isr[leader]), log[leader].at(hw[leader]), acknowledged[hw[leader]]),
            ),
        )
    },
    properties=(
        Property(
            "NoAcknowledgedRecordLost",
            "The true leader has every record that a producer with acks=all saw acknowledged.",
            forall(
                _one,
                is_true_leader(_one).implies(
                    forall(_at, acknowledged[_at].is_some().implies(log[_one].at(_at).eq(acknowledged[_at])))
                ),
            ),
        ),
        Property(
            "AcknowledgedAndCrashed",
            "A record was acknowledged, a broker crashed, and some replica leads after that.",
            acknowledged[0].is_some() & (crashes > 0) & exists(_one, is_true_leader(_one)),
            "sometimes",
        ),
    ),
)

MIN_INSYNC = Behaviour(
    "min.insync.replicas",
    "acks=all is answered while the ISR is large enough; brokers crash, and the last ISR member stays in the ISR.",
    replaces=(leader_expand_isr, follower_fetch),
    adds=(crash,),
    settings=(MIN_ISR,),
    fields=(starts(crashes, 0, "the number of brokers that have crashed"),),
    ghosts=(ACKNOWLEDGED,),
    suspends=("WeakIsr", "StrongIsr"),
    cites=("checkEnoughReplicasReachOffset in Partition.scala", "KIP-966"),
)


def eligible(new_isr: Expr, without: Expr) -> Expr:
    """The ELR after the ISR became `new_isr`: replicas that left while it is too small, without crashed ones."""
    return ite(
        large_enough(new_isr),
        nobody(),
        elr.union(quorum_isr).minus(new_isr).minus(without),
    )


def _controller(new_leader: Expr, new_isr: Expr, crashed: Expr) -> dict[Expr, Expr]:
    return {**controller_writes(new_leader, new_isr), elr: eligible(new_isr, crashed)}


controller_shrink_isr = action(
    "ControllerShrinkIsr",
    ("The controller removes a failed broker from the ISR, even the last one; a small ISR leaves an eligible replica."),
    replica,
    guard={"in the isr": waived(quorum_isr.contains(replica), ONLY_THE_EPOCH)},
    limits=EPOCHS_LEFT,
    updates=_controller(
        ite(quorum_leader.eq(some(replica)), none(Replica), quorum_leader), quorum_isr.remove(replica), nobody()
    ),
    cites=("KIP-966",),
)

crash_966 = action(
    "UncleanShutdown",
    "A broker crashes and loses the end of its log. The controller removes it from ISR and ELR.",
    replica,
    offset,
    guard=LOSES_RECORDS,
    limits={**EPOCHS_LEFT, **FEW_CRASHES},
    updates={
        **loses_its_end(replica, offset),
        **_controller(
            ite(quorum_leader.eq(some(replica)), none(Replica), quorum_leader),
            quorum_isr.remove(replica),
            only(replica),
        ),
    },
    cites=("KIP-966",),
)

elect_eligible = action(
    "ControllerElectEligible",
    "With an empty ISR, the controller elects an eligible replica; it becomes the whole ISR.",
    leader,
    guard={
        "the isr is empty": waived(
            quorum_isr.is_empty(),
            "an eligible replica has all committed records; Kafka elects a member while there is one",
        ),
        "is eligible": elr.contains(leader),
    },
    limits=EPOCHS_LEFT,
    updates={**controller_writes(some(leader), only(leader)), elr: eligible(only(leader), nobody())},
    cites=("KIP-966",),
)


_LEADER_IS_MEMBER = "an ISR that is large enough has its leader, and every member has the offset"


def _with_elr(before: Action, new_isr: Expr) -> Action:
    return replace(before, updates=(*before.updates, update(elr, eligible(new_isr, nobody()))))


leader_shrink_isr = _with_elr(kip320.leader_shrink_isr, local_isr[leader].remove(follower))
leader_expand_isr_966 = _with_elr(leader_expand_isr, local_isr[leader].insert(follower))
leader_inc_high_watermark = replace(
    kip320.leader_inc_high_watermark,
    statement="The leader commits its next record once a large enough ISR follows it in its epoch and has that record.",
    guard=(
        *_waiving(kip320.leader_inc_high_watermark, "leader has the offset", _LEADER_IS_MEMBER),
        Clause("isr is large enough", large_enough(local_isr[leader])),
    ),
    cites=("KIP-966", "KAFKA-15583"),
)

LEADER_FROM_ISR_OR_ELR = Property(
    "LeaderFromIsrOrElr",
    "A new leader was in the ISR or eligible just before its election.",
    after(quorum_leader).ne(quorum_leader).implies(after(quorum_leader).set().subset_of(quorum_isr.union(elr))),
    "step",
    cites=("KIP-966",),
)
ELR_APART_FROM_ISR = Property(
    "ElrApartFromIsr", "No replica is both in the ISR and eligible.", ~elr.intersects(quorum_isr)
)
ELR_ONLY_WHILE_SMALL = Property(
    "ElrOnlyWhileSmall",
    "Replicas are eligible only while the ISR is smaller than min.insync.replicas.",
    elr.is_empty() | ~large_enough(quorum_isr),
)
ELIGIBLE_ELECTED = Property(
    "EligibleElected",
    "An eligible replica is elected with an empty ISR.",
    quorum_isr.is_empty() & after(quorum_leader).is_some(),
    "sometimes",
)

KIP_966 = Behaviour(
    "KIP-966",
    (
        "The high watermark rests while the ISR is too small; a replica that left a small ISR is eligible, "
        "one that crashed is not."
    ),
    replaces=(controller_shrink_isr, crash_966, leader_shrink_isr, leader_expand_isr_966, leader_inc_high_watermark),
    adds=(elect_eligible,),
    fields=(starts(elr, frozenset(), "the eligible leader replicas"),),
    properties=(LEADER_FROM_ISR_OR_ELR, ELR_APART_FROM_ISR, ELR_ONLY_WHILE_SMALL, ELIGIBLE_ELECTED),
    suspends=("LeaderFromIsr", "IsrNotEmpty"),
    restores=("StrongIsr",),
    cites=("KIP-966", "KAFKA-15583"),
    breaks_without=("NoAcknowledgedRecordLost",),
)

HW_ADVANCES_BELOW_MIN_ISR = Behaviour(
    "KIP-966 without KAFKA-15583",
    "The high watermark advances although the ISR is smaller than min.insync.replicas.",
    replaces=(
        replace(
            kip320.leader_inc_high_watermark,
            # The clauses of KIP-320 ask only members of the leader's ISR; who is back after a crash knows of none.
            guard=(
                Clause("presumes leadership", presumes_leadership(leader)),
                *kip320.leader_inc_high_watermark.guard,
            ),
        ),
    ),
)
