"""Lemmas about a cluster: which broker acts as controller, in which epoch, and what is in a state znode.

Every release's steps keep them, for any number of brokers, partitions and epochs.
"""

from __future__ import annotations

from ..expr import Expr, both, forall, some
from ..property import Property
from .controller import unknown_is
from .controller_properties import CONTROLLER_IS_REGISTERED, ONE_CONTROLLER_PER_EPOCH
from .state import (
    assignment,
    c,
    controller,
    controller_epoch,
    created,
    epoch,
    p,
    partition_state,
    phase,
    registered,
    replicas,
    topics,
    znode,
)

_acts, _held = phase[c].ne("none"), znode[p].value
ACTING_IS_REGISTERED = Property(
    "ActingIsRegistered",
    "The acting controller is registered, unless controllers outlive their sessions.",
    forall(c, _acts.implies(registered.contains(c))),
)
ACTING_IS_CONTROLLER = Property(
    "ActingIsController",
    "A registered broker that acts as controller is the one that ZooKeeper names, in the current epoch.",
    forall(c, both(_acts, registered.contains(c)).implies(both(controller.eq(some(c)), epoch[c].eq(controller_epoch)))),
)
ACTING_EPOCH_IS_NO_LATER = Property(
    "ActingEpochIsNoLater",
    "No controller acts in an epoch that ZooKeeper has not counted.",
    forall(c, _acts.implies(epoch[c] <= controller_epoch)),
)
WRITTEN_BY_NO_LATER_EPOCH = Property(
    "WrittenByNoLaterEpoch",
    "No state znode is from a controller epoch that ZooKeeper has not counted.",
    forall(p, znode[p].is_some().implies(_held["controller_epoch"] <= controller_epoch)),
)
LEADER_IS_IN_ISR = Property(
    "LeaderIsInIsr",
    "In every state znode the leader, if there is one, is in the ISR.",
    forall(p, znode[p].is_some().implies(_held["leader"].set().subset_of(_held["isr"]))),
)
ISR_HAS_A_MEMBER = Property(
    "IsrHasAMember",
    "In every state znode the ISR has a member: the last one stays.",
    forall(p, znode[p].is_some().implies(~_held["isr"].is_empty())),
)
ISR_IS_OF_REPLICAS = Property(
    "IsrIsOfReplicas",
    "In every state znode the ISR is among the replicas.",
    forall(p, znode[p].is_some().implies(_held["isr"].subset_of(replicas(assignment[p])))),
)
LEMMAS = (
    CONTROLLER_IS_REGISTERED,
    ONE_CONTROLLER_PER_EPOCH,
    ACTING_IS_REGISTERED,
    ACTING_IS_CONTROLLER,
    ACTING_EPOCH_IS_NO_LATER,
    WRITTEN_BY_NO_LATER_EPOCH,
    LEADER_IS_IN_ISR,
    ISR_HAS_A_MEMBER,
)


def znode_is_of_a_topic(of: Expr) -> Property:
    """Return the lemma; `of`: the processes c that it covers: with deletion, not those of earlier controllers."""
    states = forall(p, partition_state[c][p].ne(unknown_is("partition")).implies(created.contains(p)))
    return Property(
        "ZnodeIsOfATopic",
        ("Only an existing topic has a state znode; a controller knows no other topic, and gives no other a state."),
        both(
            forall(p, znode[p].is_some().implies(created.contains(p))),
            forall(c, of.implies(topics[c].subset_of(created))),
            forall(c, of.implies(states)),
        ),
    )
