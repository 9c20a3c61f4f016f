"""The metadata quorum: which guards carry which promise, and what a vote in memory only costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from isrproof.checker.explore.run import explore
from isrproof.model.action import Action
from isrproof.model.expr import Expr
from isrproof.model.protocol import Behaviour, Model
from isrproof.model.raft.base import CHANGES_OF_VOTERS, QUORUM, candidate, having, offset, voter
from isrproof.model.raft.kip595 import RAFT
from isrproof.model.raft.kip853 import RAFT_VOTERS, first_voters, is_majority_of, voters_of
from isrproof.model.raft.kip996 import RAFT_PRE_VOTE
from isrproof.model.raft.state import granted, role

SIZES = {"voters": 3, "max_epoch": 2, "log_size": 2}


def length(model: Model, promise: str, **settings: int) -> int | None:
    """The states of the shortest path that breaks a promise; None if it holds."""
    path = explore(model, [promise], until_decided=True, **(SIZES | settings))[promise].path
    return None if path is None else path.length


def without(action: str, clause: str, model: Model = RAFT) -> Model:
    """A quorum without one clause of a guard."""
    whole = model.action(action)
    assert clause in {each.label for each in whole.guard}
    return putting(replace(whole, guard=tuple(each for each in whole.guard if each.label != clause)), model)


def putting(changed: Action, model: Model) -> Model:
    """A quorum with another action of that name."""
    return model.with_behaviours(
        Behaviour("loose", "with another action", replaces=(changed,)), name="loose", statement="with another action"
    )


def counting(action: str, clause: str, majority: Expr) -> Model:
    """The quorum whose voters change, with another majority."""
    whole = RAFT_VOTERS.action(action)
    assert clause in {each.label for each in whole.guard}
    guard = tuple(replace(each, condition=majority) if each.label == clause else each for each in whole.guard)
    return putting(replace(whole, guard=guard), RAFT_VOTERS)


def test_a_vote_in_memory_elects_two_leaders() -> None:
    assert length(QUORUM, "OneVotePerEpoch") == 3
    assert length(QUORUM, "OneLeaderPerEpoch") == 8
    assert length(RAFT, "OneLeaderPerEpoch") is None


@pytest.mark.full(every=5)
@pytest.mark.parametrize(
    ("action", "clause", "promise", "states", "epochs"),
    [
        ("BecomeLeader", "has a majority", "OneLeaderPerEpoch", 5, 2),
        ("GrantVote", "the candidate's log is up to date", "LeaderIsComplete", 10, 2),
        ("AdvanceHighWatermark", "a majority has it", "LeaderIsComplete", 8, 2),
        ("AdvanceHighWatermark", "the record is of its epoch", "LeaderIsComplete", 18, 4),
        ("Truncate", "the logs diverge at the offset", "CommittedStays", 9, 2),
    ],
)
def test_a_guard_carries_a_promise(action: str, clause: str, promise: str, states: int, epochs: int) -> None:
    assert length(without(action, clause), promise, max_epoch=epochs) == states


def test_who_asks_first_leads_in_the_end() -> None:
    found = explore(RAFT_PRE_VOTE, ["OneLeaderPerEpoch"], coverage=True, voters=2, max_epoch=1, log_size=1)
    assert {each.action for each in found.coverage if each.taken} >= {"BecomeProspective", "WouldVote", "BecomeLeader"}


@pytest.mark.full(every=10)
@pytest.mark.parametrize(
    ("action", "clause", "promise", "states", "records"),
    [
        ("BecomeCandidate", "is a voter", "RemovedLeaderResigns", 5, 2),
        ("GrantVote", "the candidate asks it, as one of its voters", "LeaderIsComplete", 13, 2),
        ("BeginWithout", "nothing has happened", "RemovedLeaderResigns", 5, 2),
        ("BeginWithout", "others are left", "SomeVoterStays", 4, 2),
        ("RemoveVoter", "leads", "MajoritiesMeet", 10, 2),
        ("RemoveVoter", "a record of its epoch is committed", "MajoritiesMeet", 9, 2),
        ("RemoveVoter", "the change before is committed", "MajoritiesMeet", 9, 3),
        ("RemoveVoter", "the change before is committed", "LeaderIsComplete", 13, 3),
        ("RemoveVoter", "is not the last", "SomeVoterStays", 7, 2),
    ],
)
def test_what_a_change_of_voters_needs(action: str, clause: str, promise: str, states: int, records: int) -> None:
    assert length(without(action, clause, RAFT_VOTERS), promise, log_size=records) == states


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "clause", "promise", "states", "epochs"),
    [
        ("AddVoter", "a record of its epoch is committed", "MajoritiesMeet", 13, 2),
        ("AddVoter", "the change before is committed", "MajoritiesMeet", 10, 2),
        # What Ongaro found in 2015: a committed record is lost. Three nodes lose none.
        ("RemoveVoter", "a record of its epoch is committed", "LeaderIsComplete", 18, 3),
    ],
)
def test_what_a_change_among_four_nodes_needs(action: str, clause: str, promise: str, states: int, epochs: int) -> None:
    loose = without(action, clause, RAFT_VOTERS)
    assert length(loose, promise, voters=4, max_epoch=epochs, log_size=3) == states


def test_majorities_are_those_of_the_latest_set() -> None:
    of_first = counting("BecomeLeader", "has a majority", is_majority_of(granted[candidate], first_voters))
    assert length(of_first, "OneLeaderPerEpoch", log_size=3) == 15


def test_a_leader_that_is_removed_counts_itself_no_more() -> None:
    itself_too = is_majority_of(having(voter, offset), voters_of(voter))
    assert (
        length(counting("AdvanceHighWatermark", "a majority has it", itself_too), "LeaderIsComplete", log_size=3) == 14
    )


def test_a_leader_that_is_removed_resigns() -> None:
    whole = RAFT_VOTERS.action("AdvanceHighWatermark")
    stays = putting(replace(whole, updates=tuple(each for each in whole.updates if each.field != role)), RAFT_VOTERS)
    assert length(stays, "RemovedLeaderResigns") == 11


def test_a_model_says_that_it_leaves_changes_of_voters_out_unless_it_has_them() -> None:
    assert CHANGES_OF_VOTERS in RAFT.left_out
    assert CHANGES_OF_VOTERS not in RAFT_VOTERS.left_out
    assert RAFT_VOTERS.without("KIP-853").left_out == RAFT.left_out
