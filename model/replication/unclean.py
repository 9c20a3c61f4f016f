"""Unclean election: with no leader, the controller may elect a replica from outside the ISR.

It trades committed records for availability: StrongIsr and WeakIsr are no longer promised, and NoCommittedRecordLost is
broken (the counterexample is what an operator buys with `unclean.leader.election.enable`). What is still promised: the
new leader is the whole ISR, epochs fence as before, logs match, and nothing that the true leader committed *since* the
last unclean election is lost.
"""

from __future__ import annotations

from .. import views
from ..action import action, update, waived
from ..expr import exists, field, forall, ite, some, var
from ..property import Property
from ..protocol import Behaviour, Ghosts, starts
from ..sorts import Int, SeqOf
from .base import EPOCHS_LEFT, controller_writes
from .state import (
    LOG_SIZE,
    PARTITION_OF_QUORUM,
    Entry,
    Replica,
    hw,
    is_true_leader,
    leader,
    local_epoch,
    log,
    only,
    quorum_isr,
    quorum_leader,
)

_one, _at = var("one", Replica), var("at", Int(0, LOG_SIZE - 1))

elect_unclean = action(
    "ControllerElectUnclean",
    "With no leader, the controller elects a replica from outside the ISR; it becomes the whole ISR.",
    leader,
    guard={
        "nobody leads": waived(
            quorum_leader.is_none(), "no more is lost if some replica leads; Kafka keeps an existing leader"
        ),
        "outside the isr": waived(
            ~quorum_isr.contains(leader), "electing a member alone is a clean election that shrinks the ISR"
        ),
    },
    limits=EPOCHS_LEFT,
    updates=controller_writes(some(leader), only(leader)),
)

kept = field("kept", SeqOf(Entry, LOG_SIZE))
KEPT = Ghosts(
    "kept",
    (starts(kept, (), "the records that the true leader committed since the last unclean election"),),
    updates={
        "LeaderIncHighWatermark": (
            update(
                kept,
                ite(
                    is_true_leader(leader) & (kept.length() <= hw[leader]),
                    log[leader].take(hw[leader] + 1),
                    kept,
                ),
            ),
        ),
        "ControllerElectUnclean": (update(kept, log[leader].take(0)),),
    },
    properties=(
        Property(
            "NothingLostSinceUnclean",
            "The true leader has every record that true leaders committed since the last unclean election.",
            forall(
                _one,
                is_true_leader(_one).implies(
                    forall(_at, (_at < kept.length()).implies(log[_one].at(_at).eq(kept.at(_at))))
                ),
            ),
        ),
    ),
)

UNCLEAN_ELECTED = Property(
    "UncleanElected",
    "A leader that was elected uncleanly commits a record of its own.",
    exists(
        _one,
        is_true_leader(_one)
        & (hw[_one] > 0)
        & log[_one].at(0).value["epoch"].eq(local_epoch[_one])
        & (local_epoch[_one] > 1)
        & quorum_isr.eq(only(_one)),
    ),
    "sometimes",
)

UNCLEAN_ELECTION = Behaviour(
    "unclean.leader.election",
    "With no leader, a replica from outside the ISR may be elected; committed records may be lost.",
    adds=(elect_unclean,),
    properties=(PARTITION_OF_QUORUM.of(views.UNCLEAN_LEADER_ALONE_IN_ISR), UNCLEAN_ELECTED),
    ghosts=(KEPT,),
    suspends=("WeakIsr", "StrongIsr", "LeaderFromIsr"),
    cites=("KAFKA-1028", "kafka.controller.PartitionLeaderElectionAlgorithms"),
)

KEEPS_ISR = Behaviour(
    "unclean election keeps the ISR",
    "The uncleanly elected leader joins the old ISR instead of replacing it.",
    replaces=(
        action(
            "ControllerElectUnclean",
            "With no leader, the controller elects a replica from outside the ISR and adds it to the ISR.",
            leader,
            guard={"nobody leads": quorum_leader.is_none(), "outside the isr": ~quorum_isr.contains(leader)},
            limits=EPOCHS_LEFT,
            updates=controller_writes(some(leader), quorum_isr.insert(leader)),
        ),
    ),
)
