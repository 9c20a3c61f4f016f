"""Simulated logs are accepted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from isrproof.checker.conformance import cluster, read, simulate
from isrproof.checker.conformance.names import numbered
from isrproof.checker.conformance.validate import Told, validate
from isrproof.model.cluster.cluster import CLUSTER

from tests import random_runs
from tests.validated import Run, command, deleting, deleting_in_vain, simulated, validated

slow = pytest.mark.slow


@pytest.mark.full(every=24)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("release", ["2.0.0", "2.3", "3.9"])
def test_what_is_simulated_is_accepted(seed: int, release: str, tmp_path: Path) -> None:
    folder = simulated(seed, release, tmp_path)
    if "Chang" not in "".join(each.read_text("utf-8") for each in folder.rglob("state-change.log")):
        pytest.skip("the run moves nothing")
    found = validated(folder, release)
    assert (found.verdict, found.reason) == ("accepted", "")


@pytest.mark.full
def test_a_long_run_is_found(tmp_path: Path) -> None:
    """With all runs there are too many states between two lines."""
    room = {"brokers": 3, "partitions": 1, "outages": 3_000, "failovers": 3_000, "max_leader_epoch": 6_000}
    instance = CLUSTER.model("2.8").instance(**room)
    run = simulate.random_run(instance, 1, 3_000)
    simulate.write(simulate.log_of(instance, run, CLUSTER.release("2.8"), "TRACE", numbered(3, 1)), tmp_path)
    found = validated(tmp_path, "2.8")
    assert (found.verdict, found.reason) == ("accepted", "")
    assert found.compared > 400


@pytest.mark.full
@pytest.mark.parametrize("hours", [-1, 1])
def test_where_looks_at_who_is_live_fit_no_run_the_search_goes_on_without_them(hours: int, tmp_path: Path) -> None:
    """The lines in which a controller looks who is live have other times than those of what it does then."""
    folder = simulated(6, "2.8", tmp_path)
    for path in folder.rglob("controller.log"):
        path.write_text(
            "".join(map(partial(_later, hours), path.read_text("utf-8").splitlines(keepends=True))), "utf-8"
        )
    evidence = read.read([str(folder)])
    assert evidence.looks.between(evidence.compared) is not None
    found = validated(folder, "2.8")
    assert (found.verdict, found.reason) == ("accepted", "")
    assert found.compared > 4


def _later(hours: int, line: str) -> str:
    time = datetime.fromisoformat(line[1:20]) + timedelta(hours=hours)
    return f"[{time:%Y-%m-%d %H:%M:%S}{line[20:]}"


def _random(number: int, seed: int, folder: Path) -> tuple[str, Path]:
    """The release and the log, at TRACE, of a random run."""
    release, instance = random_runs.instance_of(number)
    (run,) = simulate.random_runs(instance, [seed], random_runs.STEPS)
    simulate.write(simulate.log_of(instance, run, CLUSTER.release(release), "TRACE", numbered(3, 2)), folder)
    return release, folder


@pytest.mark.full(every=7)
@pytest.mark.parametrize(("number", "seed"), [(0, 1), (1, 1), (2, 1), (3, 0), (3, 2), (5, 1), (13, 1)])
def test_a_random_life_of_a_cluster_is_accepted(number: int, seed: int, tmp_path: Path) -> None:
    """With deletions, reassignments, elections that are asked for and controllers that die at any step."""
    release, folder = _random(number, seed, tmp_path)
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_no_random_life_of_a_cluster_is_rejected(number: int, tmp_path: Path) -> None:
    """An answer is unknown for parts that the model of `validate` does not follow, such as failing directories."""
    for seed in range(3):
        release, folder = _random(number, seed, tmp_path / str(seed))
        code, said = command("cluster", str(folder), "--release", release)
        assert (code, said["verdict"]) in ((0, "accepted"), (3, "unknown")), (seed, said)


@pytest.mark.full
@pytest.mark.parametrize("seed", [pytest.param(701, id="single from two"), pytest.param(1101, id="order only")])
def test_what_was_reassigned_before_any_line_lists_its_replicas_is_accepted(seed: int, tmp_path: Path) -> None:
    """At INFO no line shows the replicas with which a partition was created: it was rejected."""
    ((_, release, folder),) = random_runs.simulated([seed], tmp_path)
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])


@pytest.mark.full
@pytest.mark.parametrize("seed", [pytest.param(2028, id="at once"), pytest.param(75, id="both topics", marks=slow)])
def test_what_was_to_be_deleted_before_a_controller_started(seed: int, tmp_path: Path) -> None:
    """It prints the existing topics when it starts; one may have been created again, and no line shows its first
    life."""
    ((_, release, folder),) = random_runs.simulated([seed], tmp_path)
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])


@pytest.mark.full
def test_a_partition_may_have_one_replica_that_no_line_names(tmp_path: Path) -> None:
    """The log shows only that its elections failed: with two replicas a shutdown would show it, too."""
    ((_, release, folder),) = random_runs.simulated([502], tmp_path)
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "one or three replicas" in said["model"]


QUICK = (
    *(101, 526, 675, 676, 700, 950, 951, 1001, 1150, 1201, 1276, 1375, 1475, 1501, 1550, 1551),
    *(1575, 1600, 1776, 1801, 1826, 1850, 1925, 1976, 2001, 2126, 2176, 2350, 2575),
)
"""Random runs of all releases, at TRACE and INFO: some of those that are accepted and cost little."""


def must_be_accepted(seeds: Sequence[int], folder: Path) -> None:
    for seed, release, logs in random_runs.simulated(seeds, folder):
        code, said = command("cluster", str(logs), "--release", release)
        assert (seed, code, said["verdict"], said["matched"]) == (seed, 0, "accepted", said["compared"])


@pytest.mark.full
def test_random_runs_are_accepted(tmp_path: Path) -> None:
    must_be_accepted(QUICK[::2], tmp_path)


@pytest.mark.slow
def test_more_random_runs_are_accepted(tmp_path: Path) -> None:
    must_be_accepted(QUICK[1::2], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 120, 6))
def test_a_thousand_random_runs_are_accepted(first: int, tmp_path: Path) -> None:
    """But for those with nothing to validate."""
    wanted = [number * random_runs.OF_AN_INSTANCE + each for number in range(first, first + 6) for each in range(9)]
    accepted = 0
    for seed, release, folder in random_runs.simulated(wanted, tmp_path):
        code, said = command("cluster", str(folder), "--release", release)
        assert code in (0, 3), (seed, said)
        assert code == 0 or "nothing to validate" in said["reason"], (seed, said)
        accepted += code == 0
    assert accepted


def _born_again(replica: int, folder: Path) -> Path:
    """A topic is there, and to be deleted, before its first controller starts; then it is created again, elsewhere.

    Args:
        replica: the broker that the lines of its first life name beside broker 1.
    """
    run = Run("2.8", "deletion", brokers=3, partitions=1)
    run.go("CreateTopic", one=0, other=1)
    run.go("DeleteTopic")
    run.go("Elect", "InitializeContext", c=0)
    run.go("StartPartitions", "ResumeDeletions", "BeginDeletion", "StopToDelete", "StopToDelete")
    run.go("DeleteStopped", "DeleteReplica", "ResumeDeletions", "BeginDeletion", "DeleteStopped")
    run.go("DeleteReplica", "CompleteDeletion", "ResumeDeletions", "BeginDeletion", "DeleteStopped")
    run.go("CreateTopic", one=1, other=2)
    run.go("NewPartitions")
    run.write(folder)
    path = folder / "broker-1" / "state-change.log"
    life, again, rest = path.read_text("utf-8").partition("Changed partition t1-0 state from NonExistentPartition")
    path.write_text(life.replace("replica 2 for", f"replica {replica} for") + again + rest, "utf-8")
    return folder


@pytest.mark.full
def test_a_topic_that_was_there_before_its_controller_may_be_created_again(tmp_path: Path) -> None:
    """No line shows the replicas with which it was created first, and only this line shows that its deletion was
    requested."""
    folder = _born_again(2, tmp_path)
    code, said = command("cluster", str(folder), "--release", "2.8")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "deletion" in said["model"]
    (path,) = (each for each in folder.rglob("controller.log") if "to be deleted: t1" in each.read_text("utf-8"))
    path.write_text(path.read_text("utf-8").replace("to be deleted: t1", "to be deleted: "), "utf-8")
    code, said = command("cluster", str(folder), "--release", "2.8")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "no line lists the replicas of t1-0" in said["reason"]


def test_nothing_is_deleted_that_nobody_asked_for(tmp_path: Path) -> None:
    """All replicas are listed here: no others could have written it."""
    run = deleting()
    run.go("StopToDelete")
    run.write(tmp_path)
    assert command("cluster", str(tmp_path), "--release", "2.8")[1]["verdict"] == "accepted"
    (path,) = tmp_path.rglob("controller.log")
    path.write_text(path.read_text("utf-8").replace("deletion for topics t1", "deletion for topics "), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", "2.8")
    assert (code, said["verdict"]) == (1, "rejected")


def _led_by_one_that_no_line_names(folder: Path) -> Path:
    """At INFO only refusals are printed in 2.0: of three replicas those of the two dead brokers have one."""
    run = Run("2.0.0", "deletion", "one or three replicas", brokers=3, partitions=1)
    run.go("CreateTriple", one=1, other=0, third=2)
    deleting_in_vain(run)
    run.write(folder, "INFO")
    return folder


@pytest.mark.full
def test_a_partition_may_have_more_replicas_than_lines_name(tmp_path: Path) -> None:
    evidence = read.read([str(_led_by_one_that_no_line_names(tmp_path))])
    assert evidence.partitions.not_listed == {("t1", 0)}
    *_, scope = cluster.scopes(evidence)
    parts = cluster.parts(evidence, scope=scope)
    assert "one or three replicas" in parts
    assert "one or three replicas" not in cluster.parts(evidence)
    model, may = CLUSTER.model("2.0.0", adding=parts), cluster.possible(evidence, scope)
    assert validate(model, CLUSTER.release("2.0.0"), evidence, "INFO", Told(may), CLUSTER.actor).verdict == "accepted"


@pytest.mark.full
def test_a_change_of_an_isr_may_be_told_by_its_leader_only(tmp_path: Path) -> None:
    """A controlled shutdown finds nobody to lead, which prints no ISR: the follower had left it. It was rejected."""
    run = Run("2.3", "requests", "ISR changes", "controlled shutdown", brokers=2, partitions=1)
    run.begin({"one": 1, "other": 0})
    run.go("HandleLeaderAndIsr", b=1)
    run.go("ShrinkIsr", b=1)
    run.go("ShutDown", b=1)
    run.write(tmp_path)
    code, said = command("cluster", str(tmp_path), "--release", "2.3")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "ISRs of unseen leaders" in said["model"]
    right, wrong = "from OnlinePartition to OnlinePartition", "from OfflinePartition to OnlinePartition"
    (states,) = (each for each in tmp_path.rglob("state-change.log") if right in each.read_text("utf-8"))
    whole = states.read_text("utf-8")
    states.write_text(whole.replace(right, wrong), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", "2.3")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "a leader changed the ISR before this election" in said["reason"]
    states.write_text(whole, "utf-8")
    (path,) = (each for each in tmp_path.rglob("server.log") if "hrinking ISR" in each.read_text("utf-8"))
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(each for each in lines if "ISR" not in each), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", "2.3")
    assert (code, said["verdict"], said["line"]["line"]) == (1, "rejected", _number(tmp_path, "failed to change state"))


def _number(folder: Path, text: str) -> int:
    """The number of the first line of a state-change.log that has the text."""
    files = (each.read_text("utf-8").splitlines() for each in folder.rglob("state-change.log"))
    return next(number for lines in files for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.slow
def test_a_replica_that_no_line_names_may_lead(tmp_path: Path) -> None:
    """It was rejected: with two replicas, both on dead brokers, an election fails, and is printed."""
    code, said = command("cluster", str(_led_by_one_that_no_line_names(tmp_path)), "--release", "2.0.0")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", 2)
    assert "one or three replicas" in said["model"]


def test_replicas_of_a_life_without_its_beginning_are_those_that_its_lines_name(tmp_path: Path) -> None:
    folder = _born_again(3, tmp_path)
    shown = read.read([str(folder)]).partitions
    assert shown.unlisted == {("t1", 0): {1, 3}}
    assert shown.assignments == {("t1", 0): {(2, 3)}}


def test_a_replica_that_is_named_alone_may_be_the_only_one(tmp_path: Path) -> None:
    """No line lists the replicas of the topic: it may have another one, too, whose line is missing at the end."""
    run = Run("2.8", "one or three replicas", brokers=2, partitions=1)
    run.go("CreateSingle", one=1)
    run.go("Elect", "InitializeContext", c=0)
    run.write(tmp_path)
    code, said = command("cluster", str(tmp_path), "--release", "2.8")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "one or three replicas" in said["model"]


@pytest.mark.full
def test_a_broker_may_be_back_before_it_is_found_gone(tmp_path: Path) -> None:
    """Since 2.2 a controller sees that a broker was gone by its epoch, and takes it for one that died and came back."""
    run = Run("2.8", "requests", brokers=2, partitions=1)
    run.go("Elect", c=0)
    run.go("InitializeContext")
    run.go("StartPartitions")
    run.go("CreateTopic", one=1, other=0)
    run.go("NewPartitions")
    run.go("Die", b=1)
    run.go("ComeBack", b=1)
    run.go("BrokerChange", "ElectForDeadLeaders", "MoveReplicasOffline")
    run.write(tmp_path)
    code, said = command("cluster", str(tmp_path), "--release", "2.8")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "quick restarts" in said["model"]
    assert command("cluster", str(tmp_path), "--release", "2.8", "--brokers")[1]["verdict"] == "accepted"
    code, said = command("cluster", str(tmp_path), "--release", "2.8", "--without", "quick restarts")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "broker 2 was back before its loss was noticed" in said["reason"]
    (path,) = (each for each in tmp_path.rglob("controller.log") if "bounced brokers: 2" in each.read_text("utf-8"))
    path.write_text(path.read_text("utf-8").replace("bounced brokers: 2", "bounced brokers: "), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", "2.8")
    assert (code, said["verdict"]) == (1, "rejected")
