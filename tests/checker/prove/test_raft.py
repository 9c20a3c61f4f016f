"""The metadata quorum is proved for any number of voters; with half of the votes, or a vote forgotten, it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from isrproof.checker.explore.run import explore_instance
from isrproof.checker.prove.cti import Cti, Refuter
from isrproof.checker.prove.export import induction_of, questions
from isrproof.checker.prove.run import Effort, prove
from isrproof.model.catalogue import model
from isrproof.model.expr import Expr, exists, setting
from isrproof.model.property import Property
from isrproof.model.protocol import Behaviour, Model
from isrproof.model.raft.base import QUORUM, candidate
from isrproof.model.raft.kip595 import RAFT
from isrproof.model.raft.lemmas_raft import LEMMAS, d, e, learned_in, settled
from isrproof.model.raft.state import VOTERS, granted, hw, one, other
from isrproof.model.script import script_of
from isrproof.model.step import Reference

PROMISES = {
    *("OneLeaderPerEpoch", "OneVotePerEpoch", "EpochNeverFalls", "LeaderIsComplete", "CommittedAgrees"),
    *("CommittedStays", "LogMatching", "HighWatermarkNeverFalls"),
}


in_matrix = pytest.mark.slow
"""The part of `prove --matrix`, which .ci/run runs, that a test proves, too."""


def loose(action: str, clause: str, instead: Expr | None = None) -> Model:
    """The quorum with another condition in the place of a guard's clause, or with none."""
    whole = RAFT.action(action)
    assert clause in {each.label for each in whole.guard}
    guard = [
        each if each.label != clause else replace(each, condition=instead)
        for each in whole.guard
        if each.label != clause or instead is not None
    ]
    changed = Behaviour("loose", "with another guard", replaces=(replace(whole, guard=tuple(guard)),))
    return RAFT.with_behaviours(changed, name="raft-loose", statement="with another guard")


def broken(changed: Model, action: str, lemma: str) -> bool:
    """Return True if an action leads from a state in which all lemmas hold to one in which this one does not."""
    induction, _ = induction_of(changed)
    refuter = Refuter(script_of(changed).model.instance(), list(induction.lemmas.values()), 60)
    asked = {question.name: (question, goal) for question, goal in questions(induction, [])}
    question, goal = asked[f"{action}/{lemma}"]
    return isinstance(refuter.find(question, goal, list(induction.lemmas)), Cti)


@in_matrix
@pytest.mark.parametrize("name", ["raft", "raft-pre-vote"])
def test_the_quorum_is_proved_for_any_number_of_voters(name: str) -> None:
    found = prove(name)
    assert {each.prop.name for each in found.properties} == PROMISES
    assert {(each.verdict, each.scope) for each in found.properties} == {("holds", "any number of voters")}
    assert not found.fallen


OF_EACH_NODE = [
    *("OneVotePerEpoch", "EpochNeverFalls", "HighWatermarkNeverFalls", "RemovedLeaderResigns", "SomeVoterStays"),
]


@in_matrix
def test_what_each_node_promises_is_proved_where_voters_change() -> None:
    found = prove("raft-voters", OF_EACH_NODE)
    assert {(each.verdict, each.scope) for each in found.properties} == {("holds", "any number of voters")}
    assert not found.fallen


@pytest.mark.full
def test_that_majorities_meet_is_not_inductive_by_itself() -> None:
    """No lemma says which sets two logs may name at a time."""
    effort = Effort(search=0, instance={"voters": 3, "max_epoch": 2, "log_size": 2})
    assert prove("raft-voters", ["MajoritiesMeet"], effort=effort).verdict == "unknown"


def test_beside_the_verdict_stands_what_is_believed_of_majorities() -> None:
    found = prove("raft", ["OneLeaderPerEpoch"])
    assert found.verdict == "holds"
    assert "two sets whose sizes add up to more than the number of elements have one in common" in " ".join(
        found.trusted
    )


@pytest.mark.full(every=3)
@pytest.mark.parametrize("voters", [2, 1, 3])
def test_one_leader_is_proved_for_a_number_of_voters_without_that_belief(voters: int) -> None:
    """Their sets are counted then."""
    found = prove("raft", ["OneLeaderPerEpoch"], kept={"voters": voters})
    assert found.verdict == "holds"
    assert not any("sizes" in each for each in found.trusted)


@pytest.mark.full
def test_a_half_is_no_majority() -> None:
    half = setting(VOTERS) <= granted[candidate].size() + granted[candidate].size()
    effort = Effort(timeout=120, search=120, instance={"voters": 2, "max_epoch": 1, "log_size": 1})
    found = prove(loose("BecomeLeader", "has a majority", half), ["OneLeaderPerEpoch"], effort=effort)
    assert found.verdict == "violated"
    assert {each.lemma.name for each in found.fallen} == {"ElectedByMajority"}


def test_where_a_vote_is_forgotten_its_record_breaks() -> None:
    assert broken(QUORUM, "Restart", "VotesAreRecorded")
    assert not broken(RAFT, "Restart", "VotesAreRecorded")


@pytest.mark.full(every=6)
@pytest.mark.parametrize(
    ("action", "clause", "lemma"),
    [
        ("GrantVote", "the vote is free", "CandidatesHaveVotes"),
        ("GrantVote", "the candidate's log is up to date", "CandidatesHold"),
        ("AdvanceHighWatermark", "a majority has it", "SettledByMajority"),
        ("AdvanceHighWatermark", "the record is of its epoch", "SettledByMajority"),
        ("Truncate", "the logs diverge at the offset", "HoldersHold"),
        ("Fetch", "the logs agree so far", "RecordsAreTheLeaders"),
    ],
)
def test_without_a_clause_a_lemma_breaks(action: str, clause: str, lemma: str) -> None:
    assert broken(loose(action, clause), action, lemma)
    assert not broken(RAFT, action, lemma)


RICH = Property(
    "RichState",
    "Leaders of two epochs knew records to be committed, and a voter has heard so of each.",
    exists(
        d,
        exists(
            e,
            exists(
                one,
                exists(
                    other,
                    (d < e)
                    & (settled[d] > 0)
                    & (settled[d] < settled[e])
                    & (hw[one] > 0)
                    & learned_in[one].eq(d)
                    & (hw[other] > 0)
                    & learned_in[other].eq(e),
                ),
            ),
        ),
    ),
    "sometimes",
)


def test_some_states_in_which_the_lemmas_hold_are_rich() -> None:
    watched = replace(script_of(model("raft")).model, properties=(*LEMMAS, RICH))
    found = explore_instance(watched, {"voters": 2, "max_epoch": 2, "log_size": 2})
    assert {each.prop.name: each.verdict for each in found.properties if each.verdict != "holds"} == {}
    rich = found["RichState"].path
    assert rich is not None
    reference = Reference(rich.instance)
    assert all(reference.holds(lemma, rich.states[-1]) for lemma in LEMMAS)
