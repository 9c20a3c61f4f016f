"""The metadata quorum: which guards carry which promise, and what a vote in memory only costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from isrproof.checker.explore.run import explore
from isrproof.model.protocol import Behaviour, Model
from isrproof.model.raft.base import QUORUM
from isrproof.model.raft.kip595 import RAFT
from isrproof.model.raft.kip996 import RAFT_PRE_VOTE

SIZES = {"voters": 3, "max_epoch": 2, "log_size": 2}


def length(model: Model, promise: str, **settings: int) -> int | None:
    """The states of the shortest path that breaks a promise; None if it holds."""
    path = explore(model, [promise], until_decided=True, **(SIZES | settings))[promise].path
    return None if path is None else path.length


def without(action: str, clause: str) -> Model:
    """The quorum without one clause of a guard."""
    (whole,) = (each for each in RAFT.actions if each.name == action)
    assert clause in {each.label for each in whole.guard}
    loose = replace(whole, guard=tuple(each for each in whole.guard if each.label != clause))
    return RAFT.with_behaviours(
        Behaviour("loose", "without a clause", replaces=(loose,)), name="loose", statement="without a clause"
    )


def test_a_vote_in_memory_elects_two_leaders() -> None:
    assert length(QUORUM, "OneVotePerEpoch") == 3
    assert length(QUORUM, "OneLeaderPerEpoch") == 8
    assert length(RAFT, "OneLeaderPerEpoch") is None


@pytest.mark.parametrize(
    ("action", "clause", "promise", "states", "epochs"),
    [
        ("BecomeLeader", "has a majority", "OneLeaderPerEpoch", 5, 2),
        ("GrantVote", "the candidate's log is up to date", "LeaderIsComplete", 10, 2),
        ("AdvanceHighWatermark", "a majority has it", "LeaderIsComplete", 8, 2),
        ("AdvanceHighWatermark", "the record is of its epoch", "LeaderIsComplete", 18, 4),
        ("Truncate", "the logs part at the offset", "CommittedStays", 9, 2),
    ],
)
def test_a_guard_carries_a_promise(action: str, clause: str, promise: str, states: int, epochs: int) -> None:
    assert length(without(action, clause), promise, max_epoch=epochs) == states


def test_who_asks_first_leads_in_the_end() -> None:
    found = explore(RAFT_PRE_VOTE, ["OneLeaderPerEpoch"], coverage=True, voters=2, max_epoch=1, log_size=1)
    assert {each.action for each in found.coverage if each.taken} >= {"BecomeProspective", "WouldVote", "BecomeLeader"}
