"""The protocol before KIP-101: a new follower truncates to its own high watermark.

The controller changes leader and ISR in the quorum and sends a LeaderAndIsr request; replicas act on requests with a
larger epoch than their own. The leader writes, adds to and takes from the ISR, and advances the high watermark;
followers copy its log record by record.
"""

from __future__ import annotations

from ..action import Clause, action, waived
from ..expr import Expr, either, forall, ite, minimum, none, record, some
from ..protocol import Behaviour, Model
from . import properties
from .state import (
    FIELDS,
    LOG_SIZE,
    MAX_LEADER_EPOCH,
    MAX_RECORDS,
    PARTITION_OF_QUORUM,
    SETTINGS,
    Entry,
    LeaderAndIsr,
    Replica,
    end,
    epoch,
    follower,
    follows,
    hw,
    leader,
    local_epoch,
    local_isr,
    local_leader,
    log,
    next_leader_epoch,
    next_record_id,
    only,
    presumes_leadership,
    quorum_epoch,
    quorum_isr,
    quorum_leader,
    replica,
    requests,
)

Guard = dict[str, Expr | Clause]
Updates = dict[Expr, Expr]

ONLY_THE_EPOCH = "removing a replica that is not in it changes only the epoch"

EPOCHS_LEFT = {"epochs are left": next_leader_epoch <= MAX_LEADER_EPOCH}


def controller_writes(new_leader: Expr, new_isr: Expr) -> Updates:
    """The controller bumps the leader epoch, writes the quorum and sends the request."""
    return {
        quorum_leader: new_leader,
        quorum_isr: new_isr,
        quorum_epoch: next_leader_epoch,
        requests[next_leader_epoch]: some(record(LeaderAndIsr, leader=new_leader, isr=new_isr)),
        next_leader_epoch: next_leader_epoch + 1,
    }


def leader_writes_isr(new_isr: Expr) -> Updates:
    """The leader writes the ISR to the quorum, in its own epoch."""
    return {quorum_isr: new_isr, local_isr[leader]: new_isr}


def learns(who: Expr, at_epoch: Expr) -> Updates:
    """A replica takes over what the request of that epoch says."""
    request = requests[at_epoch].value
    return {local_epoch[who]: at_epoch, local_leader[who]: request["leader"], local_isr[who]: request["isr"]}


def truncates(who: Expr, to: Expr) -> Updates:
    """A replica cuts its log, and with it its high watermark."""
    return {log[who]: log[who].take(to), hw[who]: minimum(to, hw[who])}


def ordered_to_follow(who: Expr, whom: Expr, at_epoch: Expr) -> dict[str, Expr]:
    """The guard of a replica that becomes a follower: a request with a larger epoch names another one as leader."""
    return {
        "another replica leads": who.ne(whom),
        "request names the leader": requests[at_epoch].value["leader"].eq(some(whom)),
        "request is newer": local_epoch[who] < at_epoch,
    }


def leads_by_quorum(who: Expr) -> Guard:
    """The guard of a leader's write to the quorum: the quorum has it as leader, in its own epoch."""
    return {
        "quorum names the leader": waived(
            quorum_leader.eq(some(who)), "an epoch has one leader: the quorum's epoch already shows it"
        ),
        "presumes leadership": waived(
            presumes_leadership(who), "a replica in the quorum's epoch that is its leader knows that it leads"
        ),
        "in the quorum's epoch": local_epoch[who].eq(quorum_epoch),
    }


def takes_out_of_isr(lags: Expr) -> Guard:
    """Return the guard of a leader that takes a follower out of the ISR, given the condition that it lags."""
    return {
        **leads_by_quorum(leader),
        "in the isr": local_isr[leader].contains(follower),
        "not the leader itself": leader.ne(follower),
        "lags": lags,
    }


def adds_to_isr(reached: Expr) -> Guard:
    """Return the guard of a leader that adds a follower to the ISR, given that it reached the high watermark."""
    return {
        **leads_by_quorum(leader),
        "outside the isr": ~local_isr[leader].contains(follower),
        "reached the high watermark": reached,
    }


def is_caught_up(who: Expr, whom: Expr, to: Expr) -> Expr:
    """A follower of the leader, as far as it says itself, has as many records; no epoch is compared."""
    return follows(who, whom) & either(to.eq(0), (to > 0) & (to <= end(whom)) & (to <= end(who)))


def fetched(who: Expr, whom: Expr) -> Updates:
    """The follower appends the leader's record at its end, and learns the leader's high watermark."""
    entry = log[whom].at(end(who))
    return {log[who]: log[who].append(entry.value), hw[who]: minimum(hw[whom], end(who) + 1)}


controller_elect_leader = action(
    "ControllerElectLeader",
    "The controller makes a member of the ISR the leader.",
    leader,
    guard={
        "in the isr": quorum_isr.contains(leader),
        "not the leader yet": waived(quorum_leader.ne(some(leader)), "a new epoch for the same leader does no harm"),
    },
    limits=EPOCHS_LEFT,
    updates=controller_writes(some(leader), quorum_isr),
)

controller_shrink_isr = action(
    "ControllerShrinkIsr",
    (
        "The controller removes a failed broker from the ISR; the last member stays, and a failed leader no "
        "longer leads."
    ),
    replica,
    guard={
        "in the isr": waived(quorum_isr.contains(replica), ONLY_THE_EPOCH),
        "the last member stays": waived(
            quorum_isr.eq(only(replica)).implies(quorum_leader.eq(some(replica))),
            "the last member is kept anyway; without the clause the epoch may grow for nothing",
        ),
    },
    limits=EPOCHS_LEFT,
    updates=controller_writes(
        ite(quorum_leader.eq(some(replica)), none(Replica), quorum_leader),
        ite(quorum_isr.eq(only(replica)), quorum_isr, quorum_isr.remove(replica)),
    ),
)

become_leader = action(
    "BecomeLeader",
    "A replica takes over leadership; its high watermark may be behind that of the leader before.",
    replica,
    epoch,
    guard={
        "request names the replica": requests[epoch].value["leader"].eq(some(replica)),
        "request is newer": local_epoch[replica] < epoch,
    },
    updates=learns(replica, epoch),
)

leader_write = action(
    "LeaderWrite",
    "A replica that presumes to lead appends a producer's record.",
    leader,
    guard={"presumes leadership": presumes_leadership(leader)},
    limits={"records are left": next_record_id < MAX_RECORDS, "log has room": end(leader) < LOG_SIZE},
    updates={
        log[leader]: log[leader].append(record(Entry, id=next_record_id, epoch=local_epoch[leader])),
        next_record_id: next_record_id + 1,
    },
)

leader_shrink_isr = action(
    "LeaderShrinkIsr",
    "The leader removes from the ISR a follower that lacks some of its records.",
    leader,
    follower,
    guard=takes_out_of_isr(lags=~is_caught_up(follower, leader, end(leader))),
    updates=leader_writes_isr(local_isr[leader].remove(follower)),
)

leader_expand_isr = action(
    "LeaderExpandIsr",
    "The leader adds to the ISR a follower that has reached the high watermark.",
    leader,
    follower,
    guard=adds_to_isr(reached=is_caught_up(follower, leader, hw[leader])),
    updates=leader_writes_isr(local_isr[leader].insert(follower)),
)

leader_inc_high_watermark = action(
    "LeaderIncHighWatermark",
    "The leader commits its next record once every ISR member that follows it has a record at that offset.",
    leader,
    guard={
        "presumes leadership": presumes_leadership(leader),
        "every isr member has the offset": forall(
            follower,
            local_isr[leader].contains(follower).implies(follows(follower, leader) & (hw[leader] < end(follower))),
        ),
    },
    limits={"log has such an offset": hw[leader] < LOG_SIZE},
    updates={hw[leader]: hw[leader] + 1},
)

become_follower = action(
    "BecomeFollower",
    "A replica follows a new leader; it first truncates to its own high watermark.",
    follower,
    leader,
    epoch,
    guard={**ordered_to_follow(follower, leader, epoch), "truncates, never extends": hw[follower] <= end(follower)},
    updates=learns(follower, epoch) | truncates(follower, hw[follower]),
)

follower_fetch = action(
    "FollowerFetch",
    "A follower copies the next record of a presumed leader; neither epoch is compared.",
    follower,
    leader,
    guard={
        "presumes leadership": presumes_leadership(leader),
        "follows the leader": follows(follower, leader),
        "leader has the next record": end(follower) < end(leader),
    },
    updates=fetched(follower, leader),
)

EMPTY_ISR = Behaviour(
    "empty-isr",
    (
        "A quirk of the TLA+ modules: with no leader, the controller may remove the last ISR member, and "
        "after that no replica can be elected. Kafka keeps the last member. The model keeps the quirk, so "
        "that its counts equal those of the modules."
    ),
    replaces=(
        action(
            "ControllerShrinkIsr",
            "The controller removes a failed broker from the ISR; the last member stays only if it leads.",
            replica,
            guard={"in the isr": waived(quorum_isr.contains(replica), ONLY_THE_EPOCH)},
            limits=EPOCHS_LEFT,
            updates=controller_writes(
                ite(quorum_leader.eq(some(replica)), none(Replica), quorum_leader),
                ite(
                    quorum_leader.eq(some(replica)) & quorum_isr.eq(only(replica)),
                    quorum_isr,
                    quorum_isr.remove(replica),
                ),
            ),
        ),
    ),
    suspends=("IsrNotEmpty",),
)

REPLICATION = Model(
    "replication",
    "Replication of one partition before KIP-101.",
    SETTINGS,
    FIELDS,
    actions=(
        controller_elect_leader,
        controller_shrink_isr,
        become_leader,
        leader_expand_isr,
        leader_shrink_isr,
        leader_write,
        leader_inc_high_watermark,
        become_follower,
        follower_fetch,
    ),
    properties=properties.PROPERTIES,
    projections=(PARTITION_OF_QUORUM,),
    ghosts=(properties.COMMITTED,),
)
