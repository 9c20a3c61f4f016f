"""KIP-996: a voter first asks whether it would be elected, in its old epoch, and raises the epoch only then (4.0)."""

from __future__ import annotations

from ..action import action
from ..expr import some
from ..protocol import Behaviour
from .base import stands, up_to_date, voter, whom
from .kip595 import RAFT
from .state import MAX_EPOCH, epoch, granted, is_majority, role

become_prospective = action(
    "BecomeProspective",
    "A voter that hears of no leader for too long asks whether it would be elected; epoch and vote stay.",
    voter,
    guard={"does not lead, nor ask": role[voter].ne("Leader") & role[voter].ne("Prospective")},
    updates={role[voter]: "Prospective", granted[voter]: some(voter).set()},
    cites=("KIP-996", "QuorumState.transitionToProspective"),
)

would_vote = action(
    "WouldVote",
    "A voter says that it would vote for another one. This promises nothing.",
    voter,
    whom,
    guard={
        "the other one asks": role[whom].eq("Prospective") & voter.ne(whom),
        "no later epoch is known": epoch[voter] <= epoch[whom],
        "leads nothing": role[voter].ne("Leader"),
        "the other one's log is up to date": up_to_date(whom, voter),
    },
    updates={granted[whom]: granted[whom].insert(voter)},
    cites=("KIP-996", "QuorumState.unattachedOrProspectiveCanGrantVote"),
)

become_candidate = action(
    "BecomeCandidate",
    "A voter that a majority would vote for raises the epoch, and asks for votes.",
    voter,
    guard={"asked": role[voter].eq("Prospective"), "a majority would vote for it": is_majority(granted[voter])},
    limits={"epochs are left": epoch[voter] < MAX_EPOCH},
    updates=stands(voter),
    cites=("KIP-996", "QuorumState.transitionToCandidate"),
)

KIP_996 = Behaviour(
    "KIP-996",
    "A voter asks whether it would be elected before it raises the epoch.",
    replaces=(become_candidate,),
    adds=(become_prospective, would_vote),
    cites=("KIP-996", "KAFKA-16164"),
)

RAFT_PRE_VOTE = RAFT.with_behaviours(
    KIP_996, name="raft-pre-vote", statement="The metadata quorum since 4.0: voters ask before they raise the epoch."
)
