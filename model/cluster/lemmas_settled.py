"""Lemmas that show that a settled controller has left nothing to dead brokers: what its handlers keep, step by step.

Of each replica that leads, or is in an ISR, the controller knows that its broker is live, or has it among the brokers
to move (`to_move`); when it is idle none is to be moved. That is LeaderAliveOrNone and DeadOutOfIsr, and it needs the
repair of KAFKA-3143: a new controller has all brokers to move that are not live. What its caches and state machines say
is kept beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, both, either, false, forall, some
from ..property import Property
from .controller import unknown_is
from .state import (
    assignment,
    b,
    c,
    cached,
    controller,
    controller_epoch,
    epoch,
    live,
    one_of,
    p,
    partition_state,
    phase,
    r,
    replica_state,
    replicas,
    to_move,
    topics,
    znode,
)

_held, _kept = znode[p].value, cached[c][p].value
KNOWS = both(phase[c].ne("none"), phase[c].ne("elected"))
HAS_READ = both(controller.eq(some(c)), KNOWS)
IS_CURRENT = both(KNOWS, epoch[c].eq(controller_epoch))
_has_started = both(HAS_READ, phase[c].ne("starting"))
GOES_OFFLINE = ("OnlineReplica", "OfflineReplica", "ReplicaDeletionIneligible")
_MOVES_NOBODY = ("idle", "resuming", "retrying", "deleting", "reassigning")
_has_still_to_elect = one_of(phase[c], ("electing", "failing"))
_is_replica = replicas(assignment[p]).contains(b)
IS_REPLICA = both(topics[c].contains(p), _is_replica)
STATE = replica_state[c][p][b]


@dataclass(frozen=True)
class Terms:
    """Terms of the lemmas, for a model with some parts.

    Args:
        online: the brokers that may lead a partition p, as far as a controller c knows: the live ones, except those
            that are shutting down, or whose log directory has failed.
        working: the live brokers, except those whose log directory has failed.
        left_alone: nothing is promised of a partition p: its topic is being deleted.
        partly: only some replicas of the brokers to move are moved, so these brokers are live.
        to_move: the brokers that are to be moved because they are dead.
        is_replica: a broker b has a replica of p, or is to have one.
        unsettled: the replica of p on b is being added, or removed.
        knows: the lemmas speak of the replica states of controller c.
    """

    online: Expr = live[c]
    working: Expr = live[c]
    left_alone: Expr = false
    partly: Expr = false
    to_move: Expr = to_move[c]
    is_replica: Expr = _is_replica
    unsettled: Expr = false
    knows: Expr = KNOWS


def of_partitions(when: Expr, holds: Expr) -> Expr:
    return forall(c, forall(p, when.implies(holds)))


def of_replicas(when: Expr, holds: Expr) -> Expr:
    return forall(c, forall(p, forall(b, when.implies(holds))))


def _led_by(some_of: Expr) -> Expr:
    return _held["leader"].set().intersects(some_of)


KNOWS_NOBODY_YET = Property(
    "KnowsNobodyYet",
    "A broker that is not controller, or has only been elected, knows no live broker.",
    forall(c, (~KNOWS).implies(live[c].is_empty())),
)
CACHE_IS_AS_WRITTEN = Property(
    "CacheIsAsWritten",
    (
        "A controller that has read ZooKeeper has each leader in its cache, because no other broker writes "
        "one; and it knows every topic that has a state znode."
    ),
    both(
        of_partitions(HAS_READ, cached[c][p].is_some().eq(znode[p].is_some())),
        of_partitions(both(HAS_READ, znode[p].is_some()), topics[c].contains(p)),
        of_partitions(both(HAS_READ, znode[p].is_some()), _kept["leader"].eq(_held["leader"])),
    ),
)


def nobody_to_move_when_idle(terms: Terms) -> Property:
    moves_all = both(HAS_READ, phase[c].ne("stopping"), ~terms.partly)
    return Property(
        "NobodyToMoveWhenIdle",
        (
            "An idle controller has no broker to move. It never has a live one to move, except one that is "
            "shutting down, or one of which it moves only some replicas."
        ),
        both(
            forall(c, one_of(phase[c], _MOVES_NOBODY).implies(to_move[c].is_empty())),
            forall(c, forall(b, both(moves_all, terms.to_move.contains(b)).implies(~live[c].contains(b)))),
            forall(
                c,
                forall(
                    b,
                    forall(
                        r,
                        both(phase[c].eq("stopping"), *(to_move[c].contains(each) for each in (b, r))).implies(b.eq(r)),
                    ),
                ),
            ),
        ),
    )


def may_go_offline(terms: Terms) -> Property:
    return Property(
        "MayGoOffline",
        (
            "A controller has, for each replica of a topic that it knows, a state from which it may go offline "
            "and online; for other replicas it has none."
        ),
        both(
            of_replicas(
                both(terms.knows, topics[c].contains(p), terms.is_replica, ~terms.left_alone),
                either(one_of(STATE, GOES_OFFLINE), terms.unsettled),
            ),
            of_replicas(both(terms.knows, ~topics[c].contains(p)), STATE.eq(unknown_is("replica"))),
        ),
    )


def led_by_live_or_to_move(terms: Terms) -> Property:
    return Property(
        "LedByLiveOrToMove",
        "A leader is live as far as the controller knows, or is to be moved.",
        of_replicas(
            both(HAS_READ, znode[p].is_some(), ~terms.left_alone, _held["leader"].eq(some(b))),
            either(live[c].contains(b), terms.to_move.contains(b)),
        ),
        cites=("KAFKA-3143",),
    )


def in_sync_live_or_to_move(terms: Terms) -> Property:
    return Property(
        "InSyncLiveOrToMove",
        "A member of an ISR is live as far as the controller knows, or is to be moved, or is its last member.",
        of_replicas(
            both(HAS_READ, znode[p].is_some(), ~terms.left_alone, _held["isr"].contains(b)),
            either(live[c].contains(b), terms.to_move.contains(b), _held["isr"].eq(some(b).set())),
        ),
        cites=("KAFKA-3143",),
    )


def new_without_znode(terms: Terms) -> Property:
    known = both(_has_started, topics[c].contains(p), ~terms.left_alone)
    return Property(
        "NewWithoutZnode",
        (
            "Once a controller has started, a partition that it knows is NewPartition exactly while it has no "
            "state znode, and then OnlinePartition or OfflinePartition; it has no state for others."
        ),
        both(
            of_partitions(
                both(_has_started, ~topics[c].contains(p)), partition_state[c][p].eq(unknown_is("partition"))
            ),
            of_partitions(both(known, znode[p].is_none()), partition_state[c][p].eq("NewPartition")),
            of_partitions(
                both(known, znode[p].is_some()),
                one_of(partition_state[c][p], ("OnlinePartition", "OfflinePartition")),
            ),
        ),
    )


def offline_if_led_by_nobody(terms: Terms) -> Property:
    return Property(
        "OfflineIfLedByNobody",
        (
            "Once a controller has started, a partition without a live leader is OfflinePartition, unless its "
            "leader is still to be moved."
        ),
        of_partitions(
            both(
                _has_started,
                znode[p].is_some(),
                ~terms.left_alone,
                ~_led_by(terms.working),
                ~both(_has_still_to_elect, _led_by(to_move[c])),
            ),
            partition_state[c][p].eq("OfflinePartition"),
        ),
    )


def live_replicas_are_online(terms: Terms) -> Property:
    return Property(
        "LiveReplicasAreOnline",
        "The replicas on brokers that are live and stay so, as far as the controller knows, are OnlineReplica.",
        of_replicas(
            both(HAS_READ, topics[c].contains(p), terms.is_replica, ~terms.left_alone, terms.online.contains(b)),
            either(STATE.eq("OnlineReplica"), terms.unsettled),
        ),
    )


def offline_is_led_by_nobody(terms: Terms) -> Property:
    offline = both(znode[p].is_some(), ~terms.left_alone, partition_state[c][p].eq("OfflinePartition"))
    return Property(
        "OfflineIsLedByNobody",
        (
            "Once a controller has started, no broker that is live and stays live leads an OfflinePartition, "
            "unless it has just come back."
        ),
        of_partitions(both(_has_started, phase[c].ne("electing"), offline), ~_led_by(terms.online)),
    )


def lemmas(terms: Terms) -> tuple[Property, ...]:
    """Return the lemmas that a controller keeps."""
    return (
        nobody_to_move_when_idle(terms),
        KNOWS_NOBODY_YET,
        CACHE_IS_AS_WRITTEN,
        may_go_offline(terms),
        led_by_live_or_to_move(terms),
        in_sync_live_or_to_move(terms),
        new_without_znode(terms),
        offline_if_led_by_nobody(terms),
        live_replicas_are_online(terms),
        offline_is_led_by_nobody(terms),
    )
