"""Why the metadata quorum is safe: lemmas that hold at first and that every action keeps, for any number of voters.

Two majorities have a voter in common, who voted for one candidate of an epoch only: so an epoch has one leader.
"""

from __future__ import annotations

from ..action import update
from ..expr import both, field, fill, forall, some, var
from ..property import Property
from ..protocol import Ghosts, Model, starts
from ..script import Lemmas, remembering
from ..sorts import MapOf, OptionOf, SetOf
from .base import candidate, voter
from .state import FIELDS, Epoch, Voter, epoch, granted, is_majority, one, other, role, voted

by_epoch = MapOf(Epoch, OptionOf(Voter))
votes = field("votes", MapOf(Voter, by_epoch))
elected = field("elected", by_epoch)
electors = field("electors", MapOf(Epoch, SetOf(Voter)))

HISTORY = Ghosts(
    "history",
    (
        starts(votes, fill(votes.sort, fill(by_epoch, None)), "whom each voter gave its vote, in each epoch"),
        starts(elected, fill(elected.sort, None), "who was elected in each epoch"),
        starts(electors, fill(electors.sort, frozenset()), "by whose votes"),
    ),
    updates={
        "BecomeCandidate": (update(votes[voter][epoch[voter] + 1], some(voter)),),
        "GrantVote": (update(votes[voter][epoch[candidate]], some(candidate)),),
        "BecomeLeader": (
            update(elected[epoch[candidate]], some(candidate)),
            update(electors[epoch[candidate]], granted[candidate]),
        ),
    },
)

e = var("e", Epoch)


VOTES_ARE_RECORDED = Property(
    "VotesAreRecorded",
    "The vote on a voter's disk is the one it gave in its epoch, and it gave none in a later one.",
    forall(
        one,
        both(votes[one][epoch[one]].eq(voted[one]), forall(e, (epoch[one] < e).implies(votes[one][e].is_none()))),
    ),
)
CANDIDATES_HAVE_VOTES = Property(
    "CandidatesHaveVotes",
    "Whose vote a candidate has gave it in the candidate's epoch.",
    forall(
        one,
        forall(
            other,
            (role[one].eq("Candidate") & granted[one].contains(other)).implies(votes[other][epoch[one]].eq(some(one))),
        ),
    ),
)
ELECTED_BY_MAJORITY = Property(
    "ElectedByMajority",
    "Who was elected in an epoch was so by the votes of a majority, given in that epoch.",
    forall(
        e,
        elected[e]
        .is_some()
        .implies(
            is_majority(electors[e]) & forall(one, electors[e].contains(one).implies(votes[one][e].eq(elected[e])))
        ),
    ),
)
LEADERS_ARE_ELECTED = Property(
    "LeadersAreElected",
    "Who leads an epoch was elected in it.",
    forall(one, role[one].eq("Leader").implies(elected[epoch[one]].eq(some(one)))),
)

LEMMAS = (VOTES_ARE_RECORDED, CANDIDATES_HAVE_VOTES, ELECTED_BY_MAJORITY, LEADERS_ARE_ELECTED)


def with_history(model: Model) -> Model:
    """The model that also remembers who voted for whom."""
    return remembering(model, HISTORY)


SCRIPT = Lemmas(frozenset(each.expr for each in FIELDS), LEMMAS, with_history, lambda model: (), {})
