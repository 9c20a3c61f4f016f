"""Runs given step by step: their lines are accepted, and in another order they are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from isrproof.checker.conformance import simulate
from isrproof.checker.conformance.names import Names, numbered
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.cluster.effects import DELETION, FACTORS, SHUTDOWN
from isrproof.model.cluster.state import ASKED, LARGE, UNSEEN_MOVES
from isrproof.model.step import Reference

from tests.validated import Run, command


@pytest.mark.full(every=2)
@pytest.mark.parametrize("release", ["2.1", "2.8"])
def test_who_is_elected_is_who_was_asked_for(release: str, tmp_path: Path) -> None:
    """Only requested elections in controller.log take place; up to 2.1 even for a replica that leads already."""
    run = Run(release, ASKED, brokers=2, partitions=2)
    run.begin({"p": 0, "one": 0, "other": 1}, {"p": 1, "one": 1, "other": 0})
    if release != "2.1":  # else the preferred ones lead, who are elected all the same
        run.go("Die", b=1)
        back = ("ComeBack", "BrokerChange", "ElectForNewBrokers")
        run.go("BrokerChange", "ElectForDeadLeaders", "MoveReplicasOffline", *back)
    run.go("AskElection", p=1)
    run.go("ElectAsked")
    run.write(tmp_path)
    code, said = command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"]) == (0, "accepted")
    for path in tmp_path.rglob("controller.log"):
        text = path.read_text("utf-8")
        path.write_text(text.replace("for partitions t2-0", "for partitions t1-0"), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"]) == (1, "rejected")


def test_replicas_of_several_dead_brokers_are_one_request() -> None:
    """Replicas are moved broker by broker, and sent when all are moved: a broker gets the last state only."""
    run = Run("2.8", "requests", FACTORS, brokers=3, partitions=1)
    run.go("Elect", c=0)
    run.go("InitializeContext")
    run.go("StartPartitions")
    run.go("CreateTriple", one=1, other=2, third=0)
    run.go("NewPartitions")
    run.go("HandleLeaderAndIsr", b=0)
    run.go("Die", b=1)
    run.go("Die", b=2)
    run.go("BrokerChange")
    sent = len(run.go("ElectForDeadLeaders")["channel"][0][0])
    assert len(run.go("MoveReplicasOffline", b=1)["channel"][0][0]) == sent
    after = run.go("MoveReplicasOffline", b=2)
    assert len(after["channel"][0][0]) == sent + 1
    (told,) = after["channel"][0][0][-1][1]
    assert told == after["znode"][0]


def test_replicas_that_are_dropped_are_all_stopped_before_any_is_deleted() -> None:
    """As stopRemovedReplicasOfReassignedPartition does it: one call for each state."""
    run = Run("2.8", UNSEEN_MOVES, brokers=4, partitions=1, isr_changes=2)
    run.begin({"one": 0, "other": 1})
    run.go("Reassign", one=2, other=3)
    run.go("AddReplicas")
    run.go("LeaderExpandsIsr", one=2)
    run.go("LeaderExpandsIsr", one=3)
    run.go("FinishReassignment")
    run.go("DropReplica", b=0)
    assert run.go("DropReplica", b=1)["replica_state"][0][0][:2] == ("NonExistentReplica",) * 2
    names = numbered(4, 1)
    log = simulate.log_of(run.instance, run.taken, CLUSTER.release("2.8"), "TRACE", names)
    moves = [re.search(r"of replica \d .* to (\w+)", line) for lines in log.files.values() for line in lines]
    states = [each.group(1) for each in moves if each is not None]
    ends = ("OfflineReplica", "ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "NonExistentReplica")
    assert states[-8:] == [each for each in ends for _ in range(2)]


@pytest.mark.parametrize(("release", "refused"), [("2.0.0", 1), ("2.1", 0)])
def test_since_2_1_a_shutdown_leaves_alone_what_is_deleted(release: str, refused: int, tmp_path: Path) -> None:
    """KAFKA-6753: before, a replica that is deleted already was to be moved to OfflineReplica, which is refused."""
    run = Run(release, DELETION, SHUTDOWN, brokers=2, partitions=1)
    run.begin({"one": 0, "other": 1})
    go_on = ("ResumeDeletions", "BeginDeletion")
    run.go("DeleteTopic", "NoteDeletions", *go_on, "StopToDelete", "StopToDelete", "DeleteStopped")
    run.go("DeleteReplica", b=1)
    run.go(*go_on, "DeleteStopped")
    assert run.go("ShutDown", b=1)["followed"][0][0] is bool(refused)
    assert run.go("StopFollowers", b=1)["replica_state"][0][0] == (
        "ReplicaDeletionStarted",
        "ReplicaDeletionSuccessful",
    )
    run.write(tmp_path)
    lines = (tmp_path / "broker-1" / "state-change.log").read_text("utf-8").splitlines()
    said = [each for each in lines if "from ReplicaDeletionSuccessful to OfflineReplica failed" in each]
    assert len(said) == refused
    code, found = command("cluster", str(tmp_path), "--release", release)
    assert (code, found["verdict"]) == (0, "accepted")


def test_who_has_the_only_replica_keeps_it_when_it_shuts_down() -> None:
    """doControlledShutdown looks at partitions of more than one replica."""
    run = Run("2.8", FACTORS, SHUTDOWN, brokers=2, partitions=1)
    run.go("Elect", "InitializeContext", "StartPartitions")
    run.go("CreateSingle", one=1)
    run.go("NewPartitions")
    before = len(run.taken)
    run.go("ShutDown", b=1)
    assert run.go("StopFollowers", b=1)["replica_state"][0][0][1] == "OnlineReplica"
    log = simulate.log_of(run.instance, run.taken, CLUSTER.release("2.8"), "TRACE", numbered(2, 1))
    assert not [place for _, places in log.steps[before:] for place in places if "state-change" in place.file]


@pytest.mark.full
@pytest.mark.parametrize("release", ["2.0.0", "2.3"])
def test_the_partitions_of_a_topic_are_deleted_together(release: str, tmp_path: Path) -> None:
    """Each is moved before any of them is moved on; one that is left out is where a log is rejected."""
    run = Run(release, LARGE, brokers=2, partitions=2)
    run.go("JoinTopic", p=1, of_topic=0)
    run.go("Elect", "InitializeContext", "StartPartitions")
    run.go("CreateTopic", p=0, one=0, other=1)
    run.go("CreateTopic", p=1, one=1, other=0)
    stop = ("StopToDelete", "StopToDelete", "StopToDelete", "StopToDelete", "DeleteStopped")
    run.go("NewPartitions", "DeleteTopic", "NoteDeletions", "ResumeDeletions", "BeginDeletion", *stop)
    for _ in range(3):
        run.go("DeleteReplica")
        run.go("ResumeDeletions", "BeginDeletion", "DeleteStopped")
    run.go("DeleteReplica")
    assert run.go("CompleteDeletion")["created"] == frozenset()
    names = Names([1, 2], [("t", 0), ("t", 1)])
    log = simulate.log_of(run.instance, run.taken, CLUSTER.release(release), "TRACE", names)
    simulate.write(log, tmp_path)
    code, said = command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert LARGE in said["model"]
    (path,) = [each for each in tmp_path.rglob("state-change.log") if "NonExistentReplica" in each.read_text("utf-8")]
    lines = path.read_text("utf-8").splitlines(keepends=True)
    started = next(at for at, line in enumerate(lines) if "to ReplicaDeletionStarted" in line)
    stopped = next(at for at, line in enumerate(lines) if "to OfflineReplica" in line)
    lines[stopped], lines[started] = lines[started], lines[stopped]
    path.write_text("".join(lines), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"], said["line"]["line"]) == (1, "rejected", stopped + 1)


def test_replicas_are_all_stopped_before_any_is_deleted() -> None:
    """As startReplicaDeletion does it: one call for OfflineReplica, then one for ReplicaDeletionStarted."""
    instance = CLUSTER.model("2.3", adding=[DELETION]).instance(brokers=2, partitions=1)
    reference = Reference(instance)
    state, run = reference.initial(), []
    deletes = ("DeleteTopic", "NoteDeletions", "ResumeDeletions", "BeginDeletion", "StopToDelete", "StopToDelete")
    begins = ("Elect", "InitializeContext", "StartPartitions", "CreateTopic", "NewPartitions")
    for step in (*begins, *deletes, "DeleteStopped"):
        taken = next(reference.steps(state, step))
        run.append(simulate.RunStep(step, taken.params, state, taken.state))
        state = taken.state
    log = simulate.log_of(instance, run, CLUSTER.release("2.3"), "TRACE", numbered(2, 1))
    moves = [re.search(r"of replica \d .* to (\w+)", line) for lines in log.files.values() for line in lines]
    states = [each.group(1).split(" ")[0] for each in moves if each is not None]
    assert states[-4:] == ["OfflineReplica"] * 2 + ["ReplicaDeletionStarted"] * 2
