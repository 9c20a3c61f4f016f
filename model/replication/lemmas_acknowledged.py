"""Lemmas that show that KIP-966 loses no acknowledged record, even where committed ones are lost (no KAFKA-15583).

If the high watermark advances although the ISR is smaller than min.insync.replicas, an eligible replica may lack what
was committed meanwhile: `CandidatesHoldCommits` falls. But an acknowledgement takes a large ISR, so the same can be
said of acknowledged records alone: `CandidatesHoldAcks`. They may lie scattered in the log, with committed ones between
them that get lost; so `EpochsRise` takes the place of "all that is committed lies below the high watermark".
"""

from __future__ import annotations

from ..action import update
from ..expr import Expr, both, field, fill, forall, ite
from ..property import Property
from ..protocol import Ghosts, Model, starts
from ..script import Lemmas, remembering
from ..sorts import Int, MapOf
from . import lemmas, lemmas_crash, lemmas_kip966
from .kip966 import acknowledged, elr, large_enough
from .lemmas import at, leads, one, requested_leader
from .lemmas_kip966 import held_by_candidates
from .properties import below
from .state import (
    MAX_LEADER_EPOCH,
    hw,
    leader,
    local_epoch,
    local_isr,
    log,
    presumes_leadership,
    quorum_epoch,
)

acknowledged_in = field("acknowledged_in", MapOf(at.sort, Int(-1, MAX_LEADER_EPOCH)))

ACKNOWLEDGED_HISTORY = Ghosts(
    "acknowledged history",
    (
        starts(
            acknowledged_in, fill(acknowledged_in.sort, -1), "by offset, the epoch in which its record was acknowledged"
        ),
    ),
    updates={
        "LeaderIncHighWatermark": (
            update(
                acknowledged_in[hw[leader]],
                ite(
                    large_enough(local_isr[leader]) & acknowledged[hw[leader]].is_none(),
                    local_epoch[leader],
                    acknowledged_in[hw[leader]],
                ),
            ),
        )
    },
)


def is_acknowledged(offset: Expr) -> Expr:
    return acknowledged[offset].is_some()


EPOCHS_RISE = Property(
    "EpochsRise",
    "The epoch of a record in a log is at least that of the records before it.",
    forall(
        one,
        forall(
            at,
            forall(
                below,
                both(below <= at, log[one].at(at).is_some()).implies(
                    log[one].at(below).value["epoch"] <= log[one].at(at).value["epoch"]
                ),
            ),
        ),
    ),
)
ACKS_HAVE_AN_EPOCH = Property(
    "AcksHaveAnEpoch",
    "Every acknowledged record was written in an epoch up to the one that acknowledged it; that epoch has a leader, "
    "and the leader has reached it.",
    forall(
        at,
        is_acknowledged(at).implies(
            both(
                acknowledged[at].value["epoch"] <= acknowledged_in[at],
                acknowledged_in[at] <= quorum_epoch,
                requested_leader(acknowledged_in[at]).is_some(),
                forall(one, leads(one, acknowledged_in[at]).implies(acknowledged_in[at] <= local_epoch[one])),
            )
        ),
    ),
)
CANDIDATES_HOLD_ACKS = Property(
    "CandidatesHoldAcks",
    (
        "From the epoch of its acknowledgement on, every candidate of every epoch, except those that crashed "
        "in a later one, holds an acknowledged record and has reached that epoch."
    ),
    held_by_candidates(is_acknowledged(at), acknowledged_in[at], acknowledged[at]),
)
OWN_ACKS_BELOW_HW = Property(
    "OwnAcksBelowHw",
    "The high watermark of a presumed leader is beyond every offset that was acknowledged in its own epoch.",
    forall(
        one,
        forall(
            at,
            both(presumes_leadership(one), is_acknowledged(at), acknowledged_in[at].eq(local_epoch[one])).implies(
                at < hw[one]
            ),
        ),
    ),
)

LEMMAS: tuple[Property, ...] = (
    *lemmas_kip966.LEMMAS,
    EPOCHS_RISE,
    ACKS_HAVE_AN_EPOCH,
    CANDIDATES_HOLD_ACKS,
    OWN_ACKS_BELOW_HW,
)
SPARE = lemmas_kip966.SPARE


def with_history(model: Model) -> Model:
    """A model with KIP-966 that also remembers in which epoch each record was acknowledged."""
    return remembering(lemmas_kip966.with_history(model), ACKNOWLEDGED_HISTORY)


SCRIPT = Lemmas(lemmas_crash.SCRIPT.fields | {elr}, LEMMAS, with_history, lemmas.goals, SPARE)
