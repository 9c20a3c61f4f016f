"""Openings that a log does not show: the topics with which a run may begin, and models that allow more."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.conformance import cluster, lazy, read
from isrproof.checker.conformance import validate as searching
from isrproof.checker.conformance.creations import NARROWEST, Extent, begins, creatable
from isrproof.checker.conformance.evidence import Evidence, compared
from isrproof.checker.conformance.openings import MOST, openings
from isrproof.checker.conformance.runs import Runs, Steps
from isrproof.checker.conformance.written import Writer
from isrproof.model.cluster.cluster import CLUSTER

from tests import random_runs
from tests.validated import Run, command, deleting, deleting_in_vain

slow = pytest.mark.slow


def _runs(evidence: Evidence, release: str, scope: Extent = NARROWEST) -> Runs:
    model = searching.unlimited(CLUSTER.model(release, adding=cluster.parts(evidence, scope=scope)))
    instance = model.instance(**evidence.settings(each.name for each in model.settings))
    steps = Steps(instance, cluster.possible(evidence, scope), CLUSTER.actor)
    writer = Writer(instance, CLUSTER.release(release), evidence.names, compared())
    return Runs(steps, writer, evidence.levels, begins(evidence))


def _fails_at_last(folder: Path) -> Evidence:
    """At INFO the log shows of two topics only that the third broker finds no leader for them."""
    run = Run("2.3", brokers=3, partitions=2)
    for number in (0, 1):
        run.go("CreateTopic", p=number, one=0, other=1)
    for controller in (0, 2):
        run.go("Elect", "InitializeContext", c=controller)
        if controller:
            run.go("MoveReplicasOffline", b=0)
            run.go("MoveReplicasOffline", b=1)
        run.go("StartPartitions")
        run.go("Die", b=1 if not controller else 2)
        if not controller:
            run.go("Die", b=0)
    run.write(folder, "INFO")
    return read.read([str(folder)])


def test_a_run_may_begin_with_each_topic_that_no_line_lists(tmp_path: Path) -> None:
    evidence = _fails_at_last(tmp_path)
    assert evidence.partitions.not_listed == {("t1", 0), ("t2", 0)}
    runs, first = _runs(evidence, "2.3"), cluster.first(evidence)
    fields = runs.steps.moves.fields
    found = [fields.value("created", each.state) for each in openings(runs, first)]
    brokers = sum(each > 0 for each in evidence.names.brokers)
    lists = brokers + brokers * (brokers - 1)  # one replica, or two in order; none on brokers that were never there
    assert brokers < len(evidence.names.brokers)
    assert found[: lists**2] == [frozenset({0, 1})] * lists**2
    assert Counter(found[lists**2 :]) == {frozenset({0}): lists, frozenset({1}): lists}
    assert not openings(runs, lambda *_: False)


def test_a_run_begins_with_no_other_topics(tmp_path: Path) -> None:
    """One that a line lists is looked for where that line is; others come in turn, so none is met in two orders."""
    run = Run("2.8", brokers=3, partitions=3)
    for number in (0, 1):
        run.go("CreateTopic", p=number, one=1, other=0)
    for broker in (0, 1):
        run.go("Die", b=broker)
    run.go("Elect", "InitializeContext", "MoveReplicasOffline", "MoveReplicasOffline", "StartPartitions")
    run.go("CreateTopic", p=2, one=2, other=1)
    run.go("NewPartitions")
    run.write(tmp_path, "INFO")
    evidence = read.read([str(tmp_path)])
    assert evidence.partitions.not_listed == {("t1", 0), ("t2", 0)}
    first, one, nothing = cluster.first(evidence), {"one": 0}, {"created": frozenset[int]()}
    assert first("CreateSingle", {"p": 0, **one}, nothing)
    assert first("CreateSingle", {"p": 1, **one}, {"created": frozenset({0})})
    assert not first("CreateSingle", {"p": 0, **one}, {"created": frozenset({1})})
    assert not first("CreateSingle", {"p": 2, **one}, nothing)
    assert not first("Die", {"b": 0}, nothing)


@pytest.mark.full
def test_a_run_begins_with_topics_of_several_partitions_when_it_is_settled_which_these_are(tmp_path: Path) -> None:
    _fails_at_last(tmp_path)
    for path in tmp_path.rglob("*.log"):
        path.write_text(path.read_text("utf-8").replace("t2-0", "t1-1"), "utf-8")
    evidence = read.read([str(tmp_path)])
    assert evidence.names.partitions == [("t1", 0), ("t1", 1)]
    first = cluster.first(evidence)
    apart, together = ({"topic_of": of, "created": frozenset[int](), "controller_epoch": 0} for of in ((0, 1), (0, 0)))
    assert first("JoinTopic", {"p": 1, "of_topic": 0}, apart)
    assert not first("JoinTopic", {"p": 0, "of_topic": 1}, apart)
    assert not first("CreateSingle", {"p": 0, "one": 0}, apart)
    assert first("CreateSingle", {"p": 0, "one": 0}, together)


def test_of_many_openings_some_are_looked_at(tmp_path: Path) -> None:
    evidence = _fails_at_last(tmp_path)
    scope = Extent(replicas=True)
    found = openings(_runs(evidence, "2.3", scope), lambda action, *_: action.startswith("Create"))
    assert 0 < len(found) <= MOST


def test_a_run_is_found_from_an_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the beginning it would have to guess both topics long before a line names them."""
    evidence = _fails_at_last(tmp_path)
    runs, lines = _runs(evidence, "2.3"), evidence.compared
    monkeypatch.setattr(lazy, "FEW", tuple(each._replace(most_states=150) for each in lazy.FEW))
    monkeypatch.setattr(lazy, "MANY", ())
    assert list(lazy.written(runs, lines, len(lines))) == [0, 0, 0, 0]
    assert list(lazy.written(runs, lines, len(lines), cluster.first(evidence))) == [2, 2, 2, 2]
    assert len(lines) == 2


def _elects_uncleanly(folder: Path) -> Path:
    run = Run("2.8", "unclean elections", brokers=3, partitions=1)
    run.begin({"one": 1, "other": 2})
    for dead in (2, 1):
        run.go("Die", b=dead)
        run.go("BrokerChange", "ElectForDeadLeaders", "MoveReplicasOffline")
    run.go("ComeBack", b=2)
    run.go("BrokerChange")
    run.go("ElectForNewBrokers")
    run.write(folder)
    return folder


@pytest.mark.full
def test_where_there_are_too_many_states_a_wider_model_is_looked_at(tmp_path: Path) -> None:
    """Unclean elections were tried only where the model without them rejects."""
    folder = _elects_uncleanly(tmp_path)
    few = ("cluster", str(folder), "--release", "2.8", "--max-states", "1")
    code, said = command(*few)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "unclean elections" in said["model"]
    code, said = command(*few, "--without", "unclean elections")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "states between two lines" in said["reason"]


@pytest.mark.full
def test_a_wider_model_is_looked_at_a_round_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts of a wide model that its run takes are found before the narrow one was searched with all efforts."""
    written, tried = lazy.written, []

    def noted(runs: Runs, *args: Any) -> Iterator[int]:
        model = runs.steps.instance.model.name
        for effort, many in enumerate(written(runs, *args)):
            tried.append(("unclean" in model, effort))
            yield many

    monkeypatch.setattr(lazy, "written", noted)
    assert command("cluster", str(_elects_uncleanly(tmp_path)), "--release", "2.8")[1]["verdict"] == "accepted"
    narrow, wide = False, True
    assert [each for each, _ in itertools.groupby(tried)] == [(narrow, 0), (narrow, 1), (wide, 0)]


@pytest.mark.full
def test_what_controllers_say_of_topics_that_the_state_machines_never_name(tmp_path: Path) -> None:
    deleting().write(tmp_path)
    (path,) = tmp_path.rglob("controller.log")
    (line,) = (each for each in path.read_text("utf-8").splitlines() if "deletion for topics t1" in each)
    both = line.replace("topics t1", "topics t1,t9")
    path.write_text(path.read_text("utf-8").replace(line, f"{both}\n{both.replace('t1,t9', 't1,t7,t9')}"), "utf-8")
    evidence = read.read([str(tmp_path)])
    looks = evidence.looks.between(evidence.compared)
    assert looks is not None
    assert [each.event.detail for each in looks if each.event.row == "topic-deletion-queued"] == ["t1"]
    assert command("cluster", str(tmp_path), "--release", "2.8")[1]["verdict"] == "accepted"


@pytest.mark.full
def test_of_several_lives_each_may_have_other_replicas(tmp_path: Path) -> None:
    """The lines of a topic that is deleted name two brokers; with more searched one life may be on one of them only."""
    run = Run("2.0.0", "deletion", brokers=3, partitions=1)
    run.go("CreateTopic", one=1, other=2)
    deleting_in_vain(run)
    run.write(tmp_path, "INFO")
    evidence = read.read([str(tmp_path)])
    named = {evidence.names.brokers.index(each) for each in evidence.partitions.members(("t1", 0))}
    assert named
    assert all(named <= {*brokers} for _, *brokers in creatable(evidence, NARROWEST))
    assert not all(named <= {*brokers} for _, *brokers in creatable(evidence, Extent(replicas=True)))


@slow
@pytest.mark.parametrize(
    "seed",
    [83, 376, 379, 750, 753, 757, 907, 979, 1027, 1350, 1757, 1832, 1904, 2154, 2404, 2405, 2603, 2825, 2831, 2977],
)
def test_of_these_random_runs_there_were_too_many_states(seed: int, tmp_path: Path) -> None:
    """Unclean elections, topics that were there before any line, topics that were deleted and made again."""
    ((_, release, folder),) = random_runs.simulated([seed], tmp_path)
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
