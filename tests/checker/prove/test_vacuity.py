"""The proofs are about something: the lemmas hold in rich reachable states, and fail where the protocol is wrong."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from isrproof.checker.explore.run import explore_instance
from isrproof.checker.prove import expected, leave_out, mutate
from isrproof.checker.prove.cti import Cti, Refuter
from isrproof.checker.prove.export import induction_of, questions
from isrproof.checker.prove.run import Effort, Proof, prove
from isrproof.model.catalogue import model
from isrproof.model.expr import both, exists, var
from isrproof.model.property import Property
from isrproof.model.protocol import Model
from isrproof.model.replication.lemmas import LEMMAS, commit_epoch, committed, latest_isr
from isrproof.model.replication.state import Epoch, Replica, quorum_epoch, quorum_isr
from isrproof.model.script import script_of
from isrproof.model.step import Reference

SMALL = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
SMALLEST = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2, "voters": 3, "max_epoch": 2}
SMALLEST_CLUSTER = {"brokers": 2, "partitions": 1, "outages": 2, "failovers": 1}
OLDER = ("truncate-to-hw", "kip101", "kip279", "kip320-first-try")

RICH = Property(
    "RichState",
    "Two records were committed in two epochs, and the ISR of an earlier epoch was larger than that of the quorum.",
    both(
        committed.length().eq(2),
        commit_epoch(committed.length() - 2) < commit_epoch(committed.length() - 1),
        exists(
            var("before", Epoch),
            exists(
                var("left", Replica),
                both(
                    var("before", Epoch) < quorum_epoch,
                    latest_isr[var("before", Epoch)].contains(var("left", Replica)),
                    ~quorum_isr.contains(var("left", Replica)),
                ),
            ),
        ),
    ),
    "sometimes",
)


def test_the_lemmas_hold_in_every_reachable_state_of_an_instance_and_some_are_rich() -> None:
    script = script_of(model("kip320"))
    watched = replace(script.model, properties=(*LEMMAS, RICH))
    found = explore_instance(watched, SMALL)
    assert {each.prop.name: each.verdict for each in found.properties if each.verdict != "holds"} == {}
    rich = found["RichState"].path
    assert rich is not None
    reference = Reference(rich.instance)
    assert all(reference.holds(lemma, rich.states[-1]) for lemma in LEMMAS)


@pytest.mark.slow(every=3)
@pytest.mark.full(every=20)
@pytest.mark.parametrize("row", expected.rows(), ids=lambda row: f"{row.title}-{row.kept.get('replicas', 'any')}")
def test_the_lemmas_that_are_not_left_out_hold_in_every_reachable_state_of_an_instance(
    row: expected.Expectation,
) -> None:
    """The lemmas that a model is proved with; the older rungs break some, and the row says which."""
    script = script_of(row.built())
    left = [each for each in script.lemmas if each.name not in row.without]
    watched = replace(script.model, properties=tuple(left))
    smallest = SMALLEST_CLUSTER if row.model == "cluster" else SMALLEST
    found = explore_instance(
        watched, {each.name: smallest[each.name] for each in watched.settings if each.name in smallest}
    )
    assert {each.prop.name: each.verdict for each in found.properties if each.verdict != "holds"} == {}


def broken(name: str, action: str, lemma: str) -> bool:
    """Return True if an action leads from a state in which all lemmas hold to one in which this one does not."""
    induction, _ = induction_of(model(name))
    instance = script_of(model(name)).model.instance(**SMALL)
    refuter = Refuter(instance, list(induction.lemmas.values()), 60)
    asked = {question.name: (question, goal) for question, goal in questions(induction, [])}
    question, goal = asked[f"{action}/{lemma}"]
    return isinstance(refuter.find(question, goal, list(induction.lemmas)), Cti)


@pytest.mark.full(every=16)
@pytest.mark.parametrize("rung", OLDER)
@pytest.mark.parametrize(
    ("action", "lemma"),
    [
        ("LeaderExpandIsr", "IsrHoldsCommits"),
        ("LeaderIncHighWatermark", "IsrHoldsCommits"),
        ("FollowerFetch", "EntriesNotAhead"),
        ("BecomeFollower", "LeaderFirst"),
    ],
)
def test_on_an_older_rung_these_actions_break_these_lemmas(rung: str, action: str, lemma: str) -> None:
    assert broken(rung, action, lemma)


def without_clause(name: str, action: str, label: str) -> Model:
    """A model without one clause of one guard."""
    found = model(name)
    (one,) = [each for each in found.actions if each.name == action]
    assert label in {each.label for each in one.guard}
    less = replace(one, guard=tuple(each for each in one.guard if each.label != label))
    return replace(found, actions=tuple(less if each.name == action else each for each in found.actions))


def without(action: str, label: str) -> Proof:
    """kip320 without one clause; counterexamples are looked for with two replicas, as `explore --mutate` does first."""
    effort = Effort(timeout=120, search=120, instance={"replicas": 2})
    return prove(without_clause("kip320", action, label), ["WeakIsr", "StrongIsr"], effort=effort)


def test_of_the_first_clauses_one_is_needed_and_one_is_not() -> None:
    needed, not_needed = itertools.islice(mutate.dropped(model("kip320")), 2)
    assert (needed.clause.label, needed.verdict, needed.as_declared) == ("in the isr", "needed", True)
    (question,) = needed.broken
    assert question.question.name == "ControllerElectLeader/LeaderInItsIsr"
    assert question.cti is not None
    assert (not_needed.clause.label, not_needed.verdict, not_needed.as_declared) == (
        "not the leader yet",
        "not needed",
        True,
    )
    assert "proved without it: a new epoch" in mutate.line(not_needed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kip320", "kip497", "unclean-election", "kip966"])
def test_the_proof_needs_the_clauses_that_the_explorer_needs_and_no_others(name: str) -> None:
    """`explore --mutate` says so of every clause: needed, or waived in the model (tests/checker/explore)."""
    found = list(mutate.dropped(model(name)))
    assert [mutate.line(each) for each in found if not each.as_declared] == []
    assert {each.verdict for each in found} == {"needed", "not needed"}


@pytest.mark.full
def test_without_a_lemma_what_rests_on_it_falls_state_by_state() -> None:
    in_range, counted = itertools.islice(leave_out.dropped(model("kip320")), 2)
    assert (in_range.lemma.name, in_range.verdict) == ("InRange", "needed")
    assert (counted.lemma.name, counted.verdict, counted.as_declared) == ("EpochsCounted", "needed", True)
    last = counted.falls[-1]
    assert last.question.kind in ("implication", "step")
    reference = Reference(last.cti.path.instance)
    assert not reference.holds(model("kip320").property(last.question.goal), last.cti.path.states[-1])
    others = [each for each in script_of(model("kip320")).lemmas if each.name != "EpochsCounted"]
    lost = {fall.question.goal for fall in counted.falls[:-1]}
    assert all(reference.holds(each, last.cti.path.states[0]) for each in others if each.name not in lost)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kip320", "kip497", "unclean-election", "kip966"])
def test_no_lemma_can_be_left_out(name: str) -> None:
    """Without any one of them some promise is not proved: the set is minimal, but for those that say why they stay."""
    found = list(leave_out.dropped(model(name)))
    assert [leave_out.line(each) for each in found if not each.as_declared] == []
    assert {each.lemma.name for each in found if each.verdict == "not needed"} == set(script_of(model(name)).spare)


@pytest.mark.slow
def test_kip966_loses_no_committed_record_however_many_brokers_crash() -> None:
    """Only a limit of the search lets few brokers crash; a proof leaves limits out."""
    assert "fewer crashes than the minimum isr" in {
        each.label for each in model("kip966").action("UncleanShutdown").limits
    }
    names = ["StrongIsr", "NoCommittedRecordLost", "NoAcknowledgedRecordLost", "HwAgreement"]
    found = {(each.prop.name, each.verdict, each.scope) for each in prove("kip966", names).properties}
    assert found == {(name, "holds", "any number of replicas") for name in names}


@pytest.mark.full
def test_without_kafka_15583_committed_records_are_lost_but_no_acknowledged_one() -> None:
    proof = prove("kip966-without-kafka-15583", ["NoAcknowledgedRecordLost", "NoCommittedRecordLost"])
    kept, lost = proof.properties
    assert (kept.verdict, kept.scope) == ("holds", "any number of replicas")
    assert "CandidatesHoldAcks" in kept.rests_on
    assert not {"CandidatesHoldCommits", "HwIsCommitted"} & set(kept.rests_on)
    assert lost.path is not None
    assert (lost.verdict, lost.path.length) == ("violated", 10)


@pytest.mark.full
def test_a_needed_clause_breaks_the_proof_and_a_path_shows_it() -> None:
    proof = without("BecomeLeader", "request is newer")
    assert proof.verdict == "violated"
    assert proof["WeakIsr"].path is not None
    assert proof["WeakIsr"].path.length == 7
    assert {each.answer.question.action for each in proof.fallen} >= {"BecomeLeader"}
