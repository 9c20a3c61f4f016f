"""Whether some run writes a log: recorded clusters, simulated ones, and logs that were changed."""

from __future__ import annotations

import json
import random
import re
import shutil
import tarfile
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.conformance import cluster, read, simulate
from isrproof.checker.conformance.names import Names, numbered
from isrproof.checker.conformance.validate import Verdict, unlimited, validate
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.cluster.effects import DELETION, FACTORS
from isrproof.model.cluster.state import ASKED, LARGE, UNSEEN_MOVES
from isrproof.model.step import Reference

from tests import shapes
from tests.imports import ROOT

RECORDED = ROOT / "traces" / "recorded"
slow = pytest.mark.slow


def _command(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(main, ["validate", *arguments, "--json"])
    return done.exit_code, json.loads(done.output)


@pytest.mark.parametrize(
    ("recording", "other", "guard"),
    [
        ("2.0.0-kill", "2.3", "StartPartitions: replicas of dead brokers are moved"),
        pytest.param("2.0.0-term", "2.3", "StartPartitions: replicas of dead brokers are moved", marks=slow),
        pytest.param("2.2.2-kill", "2.3", "StartPartitions: replicas of dead brokers are moved", marks=slow),
        ("2.3.1-kill", "2.0.0", "MoveReplicasOffline: is to be moved"),
        pytest.param("2.3.1-term", "2.0.0", "MoveReplicasOffline: is to be moved", marks=slow),
    ],
)
def test_a_recording_is_accepted_at_its_release_only(recording: str, other: str, guard: str) -> None:
    folder = RECORDED / f"failover-on-leader-{recording}"
    code, said = _command("cluster", str(folder), "--release", recording.partition("-")[0])
    assert (code, said["verdict"], said["line"], said["guard"]) == (0, "accepted", None, None)
    assert said["matched"] == said["compared"] >= 26
    code, said = _command("cluster", str(folder), "--release", other)
    assert (code, said["verdict"], said["guard"]) == (1, "rejected", guard)
    text = Path(said["line"]["file"]).read_text(encoding="utf-8").splitlines()[said["line"]["line"] - 1]
    wanted = "failed to change state" if other == "2.3" else "from ReplicaDeletionIneligible to OfflineReplica"
    assert wanted in text


@slow
@pytest.mark.parametrize("recording", ["unclean-3.5.2", "unclean-3.9.1", "traffic-2.8.2", "stale-broker-2.8.2"])
def test_what_unseen_leaders_did_is_found(recording: str) -> None:
    """Since 3.2 a leader that was elected uncleanly is said to recover, which the model does not follow."""
    code, said = _command("cluster", str(RECORDED / recording), "--release", recording.rpartition("-")[2])
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])


@pytest.mark.parametrize(
    "recording", ["3.9.1", *(pytest.param(each, marks=slow) for each in ("2.8.2", "2.8.2-trace", "3.5.2"))]
)
def test_a_broker_does_partition_by_partition_what_a_request_asks(recording: str) -> None:
    """A follower starts before another one of the same request finds its leader unavailable."""
    release = recording.partition("-")[0]
    code, said = _command("cluster", str(RECORDED / f"traffic-{recording}"), "--release", release, "--brokers")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert said["compared"] > 140


def test_which_line_of_a_millisecond_was_first_is_not_known() -> None:
    """A leader starts in server.log while state-change.log tells what else of the request is no news."""
    code, said = _command("cluster", str(RECORDED / "traffic-2.4.1"), "--release", "2.4.1", "--brokers")
    assert (code, said["verdict"]) == (3, "unknown")
    assert said["line"]["file"].endswith("broker-1/server.log")
    assert re.search(r"broker-1/state-change\.log:\d+ has the same millisecond", said["reason"])


@slow
@pytest.mark.parametrize("recording", ["2.0.0-kill", "2.0.0-term", "2.3.1-kill", "2.3.1-term"])
def test_other_failovers_are_accepted_too(recording: str) -> None:
    assert _command("cluster", str(RECORDED / f"failover-elsewhere-{recording}"))[1]["verdict"] == "accepted"


@pytest.mark.parametrize(("envelope", "layout"), [("cri", "kafka"), ("logcli-jsonl", "strimzi")])
def test_a_log_is_read_whatever_it_is_wrapped_in(envelope: str, layout: str, tmp_path: Path) -> None:
    shapes.write(tmp_path / "in", shapes.recorded(RECORDED / "failover-on-leader-2.0.0-kill"), envelope, layout)
    packed = tmp_path / "logs.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(tmp_path / "in", "logs")
    code, said = _command("cluster", str(packed), "--release", "2.0.0")
    assert (code, said["verdict"]) == (0, "accepted")
    assert said["compared"] >= 26
    code, said = _command("cluster", str(packed), "--release", "2.3")
    assert (code, said["verdict"]) == (1, "rejected")
    assert said["line"]["file"].startswith(f"{packed}!/logs/")


def _log(seed: int, release: str, folder: Path) -> Path:
    room = {"brokers": 3, "partitions": 1, "outages": 4, "failovers": 2, "max_leader_epoch": 40}
    instance = CLUSTER.model(release).instance(**room)
    run = simulate.random_run(instance, seed, 30)
    log = simulate.log_of(instance, run, CLUSTER.release(release), "TRACE", numbered(3, 1))
    simulate.write(log, folder)
    return folder


def _validated(folder: Path, release: str) -> Verdict:
    evidence = read.read([str(folder)])
    row = CLUSTER.release(release)
    return validate(CLUSTER.model(release), row, evidence, "TRACE", cluster.possible(evidence))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("release", ["2.0.0", "2.3", "3.9"])
def test_what_is_simulated_is_accepted(seed: int, release: str, tmp_path: Path) -> None:
    folder = _log(seed, release, tmp_path)
    if "Chang" not in "".join(each.read_text("utf-8") for each in folder.rglob("state-change.log")):
        pytest.skip("the run moves nothing")
    found = _validated(folder, release)
    assert (found.verdict, found.reason) == ("accepted", "")


def test_a_long_run_is_found(tmp_path: Path) -> None:
    """With all runs there are too many states between two lines."""
    room = {"brokers": 3, "partitions": 1, "outages": 3_000, "failovers": 3_000, "max_leader_epoch": 6_000}
    instance = CLUSTER.model("2.8").instance(**room)
    run = simulate.random_run(instance, 1, 3_000)
    simulate.write(simulate.log_of(instance, run, CLUSTER.release("2.8"), "TRACE", numbered(3, 1)), tmp_path)
    found = _validated(tmp_path, "2.8")
    assert (found.verdict, found.reason) == ("accepted", "")
    assert found.compared > 400


@pytest.mark.parametrize("hours", [-1, 1])
def test_where_looks_at_who_is_live_fit_no_run_the_search_goes_on_without_them(hours: int, tmp_path: Path) -> None:
    """The lines in which a controller looks who is live have other times than those of what it does then."""
    folder = _log(6, "2.8", tmp_path)
    for path in folder.rglob("controller.log"):
        path.write_text(
            "".join(map(partial(_later, hours), path.read_text("utf-8").splitlines(keepends=True))), "utf-8"
        )
    evidence = read.read([str(folder)])
    assert evidence.with_looks(evidence.compared) is not None
    found = _validated(folder, "2.8")
    assert (found.verdict, found.reason) == ("accepted", "")
    assert found.compared > 4


def _later(hours: int, line: str) -> str:
    time = datetime.fromisoformat(line[1:20]) + timedelta(hours=hours)
    return f"[{time:%Y-%m-%d %H:%M:%S}{line[20:]}"


def _with_brokers(seed: int, release: str, parts: tuple[str, ...], level: str, folder: Path) -> Path:
    room = {"brokers": 3, "partitions": 1, "outages": 4, "failovers": 2, "max_leader_epoch": 40}
    room |= {"most_requests": 5, "isr_changes": 4}
    model = CLUSTER.model(release, adding=parts)
    instance = model.instance(**{each.name: room[each.name] for each in model.settings})
    run = simulate.random_run(instance, seed, 30)
    simulate.write(simulate.log_of(instance, run, CLUSTER.release(release), level, numbered(3, 1)), folder)
    return folder


def _validated_with_brokers(folder: Path, release: str, level: str) -> Verdict | None:
    """What is found of a log in which the state machines say something."""
    evidence, row = read.read([str(folder)]), CLUSTER.release(release)
    if not evidence.compared:
        return None
    model = CLUSTER.model(release, adding=cluster.parts(evidence, brokers=True))
    may = cluster.possible(evidence)
    return validate(model, row, evidence, level, may, actor=CLUSTER.actor, brokers=True)


def _accepts_what_is_simulated(seed: int, folder: Path) -> bool:
    dice = random.Random(seed)
    release = dice.choice(("1.1", "2.0.0", "2.1", "2.3", "2.6.1", "2.8", "3.3.2", "3.9"))
    parts = ("requests", *(["ISR changes"] if dice.random() < 0.5 else []))
    level = "INFO" if release not in ("1.1", "2.0.0", "2.1", "2.3") and dice.random() < 0.3 else "TRACE"
    found = _validated_with_brokers(_with_brokers(seed, release, parts, level, folder), release, level)
    assert found is None or found.verdict == "accepted", (seed, release, level, found)
    return found is not None and found.compared > 10


def test_what_brokers_write_is_accepted(tmp_path: Path) -> None:
    """Of any release, at TRACE, and at INFO where that is the default: requests, and changes of ISRs."""
    assert sum(_accepts_what_is_simulated(seed, tmp_path / str(seed)) for seed in (0, 4, 8)) > 1


@slow
@pytest.mark.parametrize("start", range(100, 1_100, 50))
def test_what_brokers_write_is_accepted_in_a_thousand_runs(start: int, tmp_path: Path) -> None:
    assert sum(_accepts_what_is_simulated(seed, tmp_path / str(seed)) for seed in range(start, start + 50)) > 10


def test_a_broker_s_line_that_is_changed_or_missing_is_where_it_is_rejected(tmp_path: Path) -> None:
    folder = _with_brokers(9, "3.9", ("requests",), "TRACE", tmp_path)
    whole = {path: path.read_text("utf-8") for path in folder.rglob("state-change.log")}
    path, text = next(each for each in whole.items() if "starting the become-leader transition" in each[1])
    lines = text.splitlines(keepends=True)
    number = next(at for at, line in enumerate(lines, 1) if "starting the become-leader transition" in line)
    found = _validated_with_brokers(folder, "3.9", "TRACE")
    assert found is not None
    assert found.verdict == "accepted"
    for wrong in ([lines[number - 1].replace("become-leader", "become-follower")], []):
        path.write_text("".join([*lines[: number - 1], *wrong, *lines[number:]]), encoding="utf-8")
        found = _validated_with_brokers(folder, "3.9", "TRACE")
        assert found is not None
        assert found.verdict == "rejected"
        assert found.place is not None
        assert found.place.file == str(path)
        assert found.place.line >= number


@slow
def test_a_recording_is_accepted_with_what_its_brokers_write() -> None:
    """A leader wrote a smaller ISR, which only the next request tells: server.log was not kept."""
    code, said = _command("cluster", str(RECORDED / "failover-elsewhere-2.0.0-kill"), "--brokers")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 53, 53)


@slow
@pytest.mark.parametrize(
    ("recording", "lines"),
    [
        ("isr-flap-2.0.0", 83),
        ("isr-flap-2.4.1", 95),
        ("isr-flap-2.8.2", 76),
        ("isr-flap-3.9.1", 76),
        ("failover-on-leader-2.3.1-term", 72),
    ],
)
def test_recordings_are_accepted_with_what_their_brokers_write(recording: str, lines: int) -> None:
    """Of three replicas two leave an ISR at once; controller.log is at DEBUG where state-change.log is at INFO."""
    release = recording.removesuffix("-term").rpartition("-")[2]
    code, said = _command("cluster", str(RECORDED / recording), "--brokers", "--release", release)
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", lines, lines)


def test_what_leaders_wrote_in_between_is_not_held_against_a_log() -> None:
    """A version that grows more than the leader epoch: a leader wrote it, and the state machines' lines do not tell."""
    folder = str(RECORDED / "unclean-2.8.2")
    code, said = _command("cluster", folder, "--without", "ISRs of unseen leaders")
    assert (code, said["verdict"], said["guard"]) == (3, "unknown", None)
    assert "try --brokers" in said["reason"]
    code, said = _command("cluster", folder)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "ISRs of unseen leaders" in said["model"]


def test_a_topic_may_have_three_replicas(tmp_path: Path) -> None:
    folder = RECORDED / "isr-flap-2.8.2"
    code, said = _command("cluster", str(folder))
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    wrong = "state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 3, 1)"
    for path in folder.rglob("*.log"):
        text = path.read_text("utf-8")
        if wrong in text:
            (tmp_path / path.name).write_text(text.replace(wrong, wrong.replace("leader=2", "leader=3")), "utf-8")
    code, said = _command("cluster", str(tmp_path / "state-change.log"), "--release", "2.8")
    assert (code, said["verdict"]) == (1, "rejected")


@pytest.mark.parametrize(
    ("recording", "options", "why"),
    [
        ("log-dir-failure-3.9.1", (), "a log directory had failed"),
        pytest.param("zombie-2.8.2", ("--brokers",), "broker 2 was gone and came back", marks=slow),
        pytest.param("deposed-2.3.1", (), "a controller that was deposed", marks=slow),
        pytest.param("unclean-2.8.2-trace", ("--brokers",), "broker 3 lost its ZooKeeper session", marks=slow),
    ],
)
def test_what_the_model_lacks_is_not_held_against_a_recording(
    recording: str, options: tuple[str, ...], why: str
) -> None:
    release = recording.removesuffix("-trace").rpartition("-")[2]
    code, said = _command("cluster", str(RECORDED / recording), "--release", release, *options)
    assert (code, said["verdict"], said["guard"]) == (3, "unknown", None)
    assert why in said["reason"]


@pytest.mark.parametrize("recording", ["zombie-2.8.2", pytest.param("zombie-2.0.0", marks=slow)])
def test_elections_of_some_leaders_are_accepted(recording: str) -> None:
    code, said = _command("cluster", str(RECORDED / recording), "--release", recording.rpartition("-")[2])
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "elections of some leaders" in said["model"]


class _Run:
    """A run of an instance that is told step by step."""

    def __init__(self, release: str, *parts: str, **room: int) -> None:
        self.release = release
        self.instance = CLUSTER.model(release, adding=parts).instance(**room)
        self.reference = Reference(self.instance)
        self.state, self.taken = self.reference.initial(), list[simulate.Taken]()

    def go(self, step: str, **wanted: int) -> dict[str, Any]:
        """The state after the first such step."""
        possible = self.reference.steps(self.state, step)
        first = next(each for each in possible if wanted.items() <= each.params.items())
        self.taken.append(simulate.Taken(step, first.params, self.state, first.state))
        self.state = first.state
        return dict(zip(self.reference.names, self.state, strict=True))

    def write(self, folder: Path, level: str = "TRACE") -> None:
        settings = self.instance.settings
        names = numbered(settings["brokers"], settings["partitions"])
        log = simulate.log_of(self.instance, self.taken, CLUSTER.release(self.release), level, names)
        simulate.write(log, folder)


@pytest.mark.parametrize("release", ["2.1", "2.8"])
def test_who_is_elected_is_who_was_asked_for(release: str, tmp_path: Path) -> None:
    """What controller.log says that was asked for is elected, and nothing else; up to 2.1 also who leads already."""
    run = _Run(release, ASKED, brokers=2, partitions=2)
    for step in ("Elect", "InitializeContext", "StartPartitions"):
        run.go(step)
    run.go("CreateTopic", p=0, one=0, other=1)
    run.go("CreateTopic", p=1, one=1, other=0)
    run.go("NewPartitions")
    if release != "2.1":  # else the preferred ones lead, who are elected all the same
        run.go("Die", b=1)
        back = ("ComeBack", "BrokerChange", "ElectForNewBrokers")
        for step in ("BrokerChange", "ElectForDeadLeaders", "MoveReplicasOffline", *back):
            run.go(step)
    run.go("AskElection", p=1)
    run.go("ElectAsked")
    run.write(tmp_path)
    code, said = _command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"]) == (0, "accepted")
    for path in tmp_path.rglob("controller.log"):
        text = path.read_text("utf-8")
        path.write_text(text.replace("for partitions t2-0", "for partitions t1-0"), "utf-8")
    code, said = _command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"]) == (1, "rejected")


def test_replicas_of_several_dead_brokers_are_one_request() -> None:
    """Replicas are moved broker by broker, and told of when all are: a broker hears of the last state only."""
    run = _Run("2.8", "requests", FACTORS, brokers=3, partitions=1)
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


@pytest.mark.parametrize("recording", ["reassign-2.8.2", pytest.param("reassign-2.3.1", marks=slow)])
def test_reassignments_are_accepted(recording: str, tmp_path: Path) -> None:
    """Of three partitions at once, of two replicas at once, while a broker is dead, and taken up by another controller.

    Who is elected is among those that were asked for.
    """
    folder, release = tmp_path / "log", recording.rpartition("-")[2]
    shutil.copytree(RECORDED / recording, folder)
    code, said = _command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert "reassignment without requests" in said["model"]
    code, said = _command("cluster", str(folder), "--release", release, "--brokers")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "validate does not follow reassignments" in said["reason"]


def test_replicas_that_are_dropped_are_all_stopped_before_any_is_deleted() -> None:
    """As stopRemovedReplicasOfReassignedPartition does it: one call for each state."""
    run = _Run("2.8", UNSEEN_MOVES, brokers=4, partitions=1, isr_changes=2)
    for step in ("Elect", "InitializeContext", "StartPartitions"):
        run.go(step)
    run.go("CreateTopic", one=0, other=1)
    run.go("NewPartitions")
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


def test_a_topic_that_is_created_again_is_not_reassigned() -> None:
    """Each life has its replicas; a partition may have others than it was created with, which are not its own."""
    shown = read.read([str(RECORDED / "lifecycle-2.8.2")]).partitions
    assert shown.assignments["gone", 0] == {(1, 2, 3), (3, 2)}
    assert shown.reassigned is None
    other = read.read([str(RECORDED / "reassign-2.8.2")]).partitions.reassigned
    assert other is not None
    assert (other.topic, other.partition) == ("move", 1)


@pytest.mark.parametrize(
    ("recording", "line", "reason"),
    [
        ("log-dir-failure-2.8.2", ("state-change.log", 32), "a log directory had failed by then"),
    ],
)
def test_what_the_model_does_not_follow_is_named_with_its_line(
    recording: str, line: tuple[str, int], reason: str
) -> None:
    """The lines before it are: they are looked for, and one that no run writes would be rejected."""
    code, said = _command("cluster", str(RECORDED / recording), "--release", "2.8")
    assert (code, said["verdict"], said["guard"]) == (3, "unknown", None)
    assert reason in said["reason"]
    assert (Path(said["line"]["file"]).name, said["line"]["line"]) == line
    assert 0 < said["matched"] < said["compared"]


@slow
@pytest.mark.parametrize("release", ["2.8.2", "3.9.1"])
def test_a_recording_in_which_a_topic_of_several_partitions_is_deleted_is_accepted(release: str) -> None:
    """Twice, with elections of some leaders and a controlled shutdown in between."""
    code, said = _command("cluster", str(RECORDED / f"lifecycle-{release}"), "--release", release)
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 40, 40)


@pytest.mark.parametrize("release", ["2.0.0", "2.3"])
def test_the_partitions_of_a_topic_are_deleted_together(release: str, tmp_path: Path) -> None:
    """Each is moved before any of them is moved on; one that is left out is where a log is rejected."""
    run = _Run(release, LARGE, brokers=2, partitions=2)
    run.go("JoinTopic", p=1, of_topic=0)
    for step in ("Elect", "InitializeContext", "StartPartitions"):
        run.go(step)
    run.go("CreateTopic", p=0, one=0, other=1)
    run.go("CreateTopic", p=1, one=1, other=0)
    stop = ("StopToDelete", "StopToDelete", "StopToDelete", "StopToDelete", "DeleteStopped")
    for step in ("NewPartitions", "DeleteTopic", "NoteDeletions", "ResumeDeletions", "BeginDeletion", *stop):
        run.go(step)
    for _ in range(3):
        run.go("DeleteReplica")
        for step in ("ResumeDeletions", "BeginDeletion", "DeleteStopped"):
            run.go(step)
    run.go("DeleteReplica")
    assert run.go("CompleteDeletion")["created"] == frozenset()
    names = Names([1, 2], [("t", 0), ("t", 1)])
    log = simulate.log_of(run.instance, run.taken, CLUSTER.release(release), "TRACE", names)
    simulate.write(log, tmp_path)
    code, said = _command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert LARGE in said["model"]
    (path,) = [each for each in tmp_path.rglob("state-change.log") if "NonExistentReplica" in each.read_text("utf-8")]
    lines = path.read_text("utf-8").splitlines(keepends=True)
    started = next(at for at, line in enumerate(lines) if "to ReplicaDeletionStarted" in line)
    stopped = next(at for at, line in enumerate(lines) if "to OfflineReplica" in line)
    lines[stopped], lines[started] = lines[started], lines[stopped]
    path.write_text("".join(lines), "utf-8")
    code, said = _command("cluster", str(tmp_path), "--release", release)
    assert (code, said["verdict"], said["line"]["line"]) == (1, "rejected", stopped + 1)


def test_a_deletion_up_to_2_0_is_accepted() -> None:
    """A partition is moved to NonExistentPartition when its deletion is complete; since 2.1 when it starts."""
    code, said = _command("cluster", str(RECORDED / "stale-broker-2.0.0"), "--release", "2.0.0")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 65, 65)
    code, said = _command("cluster", str(RECORDED / "stale-broker-2.0.0"), "--release", "2.1")
    assert (code, said["verdict"]) == (1, "rejected")


def test_replicas_are_all_stopped_before_any_is_deleted() -> None:
    """As startReplicaDeletion does it: one call for OfflineReplica, then one for ReplicaDeletionStarted."""
    instance = CLUSTER.model("2.3", adding=[DELETION]).instance(brokers=2, partitions=1)
    reference = Reference(instance)
    state, run = reference.initial(), []
    deletes = ("DeleteTopic", "NoteDeletions", "ResumeDeletions", "BeginDeletion", "StopToDelete", "StopToDelete")
    begins = ("Elect", "InitializeContext", "StartPartitions", "CreateTopic", "NewPartitions")
    for step in (*begins, *deletes, "DeleteStopped"):
        taken = next(reference.steps(state, step))
        run.append(simulate.Taken(step, taken.params, state, taken.state))
        state = taken.state
    log = simulate.log_of(instance, run, CLUSTER.release("2.3"), "TRACE", numbered(2, 1))
    moves = [re.search(r"of replica \d .* to (\w+)", line) for lines in log.files.values() for line in lines]
    states = [each.group(1).split(" ")[0] for each in moves if each is not None]
    assert states[-4:] == ["OfflineReplica"] * 2 + ["ReplicaDeletionStarted"] * 2


def test_a_wrong_line_before_what_is_not_followed_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    shutil.copytree(RECORDED / "log-dir-failure-2.8.2", folder)
    right = "from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0"
    changed = [path for path in folder.rglob("state-change.log") if right in path.read_text("utf-8")]
    assert changed
    for path in changed:
        path.write_text(
            path.read_text("utf-8").replace(right, right.replace("leaderEpoch=0", "leaderEpoch=1")), "utf-8"
        )
    code, said = _command("cluster", str(folder), "--release", "2.8")
    assert (code, said["verdict"]) == (1, "rejected")


@slow
def test_with_what_brokers_write_it_is_accepted() -> None:
    """An unclean election, which no log shows to be allowed; a controller that tells of a broker before the broker."""
    code, said = _command("cluster", str(RECORDED / "unclean-2.4.1"), "--brokers")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", 93, 93)
    assert said["model"].endswith("with unclean elections")
    code, said = _command("cluster", str(RECORDED / "unclean-2.4.1"), "--brokers", "--without", "unclean elections")
    assert (code, said["verdict"]) == (1, "rejected")


def test_the_settings_of_an_instance_are_those_that_the_model_has() -> None:
    evidence = read.read([str(RECORDED / "failover-on-leader-2.0.0-kill")])
    names = ["max_leader_epoch", "brokers", "most_requests"]
    assert set(evidence.settings(name for name in names)) == {*names}


def test_a_line_that_is_changed_or_missing_is_where_it_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    simulated = CliRunner().invoke(
        main, ["simulate", "cluster", "--release", "2.0.0", "--property", "LeaderAliveOrNone", "--out", str(folder)]
    )
    assert simulated.exit_code == 0
    (first,) = [each for each in folder.rglob("state-change.log") if "epoch=1]" in each.read_text("utf-8")]
    whole = first.read_text("utf-8")
    assert _validated(folder, "2.0.0").verdict == "accepted"
    number = next(i for i, line in enumerate(whole.splitlines(), 1) if "to OnlinePartition" in line)
    for wrong, to in (("leaderEpoch=0", "leaderEpoch=1"), ("NewPartition", "OfflinePartition")):
        lines = whole.splitlines(keepends=True)
        lines[number - 1] = lines[number - 1].replace(wrong, to)
        first.write_text("".join(lines), encoding="utf-8")
        found = _validated(folder, "2.0.0")
        assert found.verdict == "rejected"
        assert found.place is not None
        assert (found.place.file, found.place.line) == (str(first), number)
    lines = whole.splitlines(keepends=True)
    del lines[number - 1]
    first.write_text("".join(lines), encoding="utf-8")
    assert _validated(folder, "2.0.0").verdict == "rejected"


def test_the_end_of_a_log_may_be_missing(tmp_path: Path) -> None:
    folder = _log(3, "2.3", tmp_path)
    last = max(folder.rglob("state-change.log"), key=lambda path: path.stat().st_size)
    lines = last.read_text("utf-8").splitlines(keepends=True)
    keep = random.Random(1).randrange(len(lines) // 2, len(lines))
    last.write_text("".join(lines[:keep]), encoding="utf-8")
    assert _validated(folder, "2.3").verdict in ("accepted", "rejected")  # decided, whatever is cut
    evidence = read.read([str(folder)])
    assert evidence.lines == sum(len(each.read_text("utf-8").splitlines()) for each in folder.rglob("*.log"))


def test_what_cannot_be_decided_is_unknown(tmp_path: Path) -> None:
    folder = RECORDED / "failover-on-leader-2.0.0-kill" / "broker-4"
    code, said = _command("cluster", str(folder))
    assert (code, said["verdict"]) == (3, "unknown")
    assert "begins in controller epoch 2" in said["reason"]
    quiet = tmp_path / "controller.log"
    quiet.write_text(
        "[2018-08-03 12:00:00,123] INFO [Controller id=3] Currently active brokers in the cluster: Set(1, 2, 3) "
        "(kafka.controller.KafkaController)\n",
        encoding="utf-8",
    )
    code, said = _command("cluster", str(quiet))
    assert (code, said["verdict"]) == (3, "unknown")
    assert "nothing to validate" in said["reason"]
    code, said = _command("cluster", str(RECORDED / "chaos-2.3.1-1"), "--release", "2.3", "--brokers")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "4 brokers and 8 partitions are more" in said["reason"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("cluster", "nowhere"), "nowhere"),
        (("kip320", str(RECORDED / "failover-on-leader-2.0.0-kill")), "does not say what its steps print"),
        (("cluster", str(RECORDED / "failover-on-leader-2.0.0-kill"), "--release", "1.0.2"), "no row for Kafka 1.0.2"),
        (("cluster", str(RECORDED / "lifecycle-0.11.0.3")), "the model has rows for"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], says: str) -> None:
    code, said = _command(*arguments)
    assert (code, said["verdict"]) == (2, "error")
    assert re.search(says, said["error"])


def test_what_only_limits_a_search_is_left_out() -> None:
    endless = unlimited(CLUSTER.model("2.3"))
    assert "outages_so_far" not in {each.name for each in endless.fields}
    assert not any(each.limits for each in endless.actions)
    assert {each.name for each in endless.fields} == {
        each.name for each in CLUSTER.model("2.3").fields if each.name != "outages_so_far"
    }
