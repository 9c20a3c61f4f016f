"""Logs that some run writes: accepted ones, rejected ones with their line, and undecided ones."""

from __future__ import annotations

import random
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.conformance import lazy, read
from isrproof.checker.conformance.validate import unlimited
from isrproof.checker.deadline import TimeIsUp
from isrproof.model.cluster.cluster import CLUSTER

from tests import shapes
from tests.validated import RECORDED, command, simulated, validated

slow = pytest.mark.slow


@pytest.mark.full
@pytest.mark.parametrize(
    ("recording", "other", "guard"),
    [
        ("2.0.0-kill", "2.3", "StartPartitions: replicas of dead brokers are moved"),
        pytest.param("2.0.0-term", "2.3", "StartPartitions: replicas of dead brokers are moved", marks=slow),
        pytest.param("2.2.2-kill", "2.3", "StartPartitions: replicas of dead brokers are moved", marks=slow),
        pytest.param("2.3.1-kill", "2.0.0", "MoveReplicasOffline: is to be moved", marks=pytest.mark.full),
        pytest.param("2.3.1-term", "2.0.0", "MoveReplicasOffline: is to be moved", marks=slow),
    ],
)
def test_a_recording_is_accepted_at_its_release_only(recording: str, other: str, guard: str) -> None:
    folder = RECORDED / f"failover-on-leader-{recording}"
    code, said = command("cluster", str(folder), "--release", recording.partition("-")[0])
    assert (code, said["verdict"], said["line"], said["guard"]) == (0, "accepted", None, None)
    assert said["matched"] == said["compared"] >= 26
    code, said = command("cluster", str(folder), "--release", other)
    assert (code, said["verdict"], said["guard"]) == (1, "rejected", guard)
    text = Path(said["line"]["file"]).read_text(encoding="utf-8").splitlines()[said["line"]["line"] - 1]
    wanted = "failed to change state" if other == "2.3" else "from ReplicaDeletionIneligible to OfflineReplica"
    assert wanted in text


def test_where_a_run_may_be_in_more_states_than_are_allowed_nothing_is_decided(tmp_path: Path) -> None:
    simulated = CliRunner().invoke(
        main, ["simulate", "cluster", "--release", "2.0.0", "--property", "LeaderAliveOrNone", "--out", str(tmp_path)]
    )
    assert simulated.exit_code == 0
    code, said = command("cluster", str(tmp_path), "--release", "2.3", "--max-states", "20000")
    assert (code, said["verdict"]) == (1, "rejected")
    code, said = command("cluster", str(tmp_path), "--release", "2.3", "--max-states", "1")
    assert (code, said["verdict"]) == (3, "unknown")
    assert said["reason"] == "more than 1 states between two lines; raise --max-states"


def test_a_validation_that_is_stopped_says_how_far_a_run_came(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(runs: object, start: object, turns: object, attempt: object, note: Callable[[int], None]) -> int:
        note(5)
        raise TimeIsUp(300)

    monkeypatch.setattr(lazy, "_goes_through", stopped)
    log = RECORDED / "failover-on-leader-2.0.0-kill"
    code, said = command("cluster", str(log))
    assert (code, said["verdict"], said["compared"] > 5) == (3, "unknown", True)
    place = re.escape(str(log))
    text = rf"stopped after 300 seconds \(--max-seconds\); some run writes the first {said['matched']} of \d+ lines"
    assert re.match(rf"{text}, up to {place}", said["reason"]), said["reason"]


@pytest.mark.full
@pytest.mark.parametrize(("envelope", "packing"), [("cri", "kafka"), ("logcli-jsonl", "strimzi")])
def test_a_log_is_read_whatever_it_is_wrapped_in(envelope: str, packing: str, tmp_path: Path) -> None:
    shapes.write(tmp_path / "in", shapes.recorded(RECORDED / "failover-on-leader-2.0.0-kill"), envelope, packing)
    packed = tmp_path / "logs.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(tmp_path / "in", "logs")
    code, said = command("cluster", str(packed), "--release", "2.0.0")
    assert (code, said["verdict"]) == (0, "accepted")
    assert said["compared"] >= 26
    code, said = command("cluster", str(packed), "--release", "2.3")
    assert (code, said["verdict"]) == (1, "rejected")
    assert said["line"]["file"].startswith(f"{packed}!/logs/")


def test_a_line_that_is_changed_or_missing_is_where_it_is_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    simulated = CliRunner().invoke(
        main, ["simulate", "cluster", "--release", "2.0.0", "--property", "LeaderAliveOrNone", "--out", str(folder)]
    )
    assert simulated.exit_code == 0
    (first,) = [each for each in folder.rglob("state-change.log") if "epoch=1]" in each.read_text("utf-8")]
    whole = first.read_text("utf-8")
    assert validated(folder, "2.0.0").verdict == "accepted"
    number = next(i for i, line in enumerate(whole.splitlines(), 1) if "to OnlinePartition" in line)
    for wrong, to in (("leaderEpoch=0", "leaderEpoch=1"), ("NewPartition", "OfflinePartition")):
        lines = whole.splitlines(keepends=True)
        lines[number - 1] = lines[number - 1].replace(wrong, to)
        first.write_text("".join(lines), encoding="utf-8")
        found = validated(folder, "2.0.0")
        assert found.verdict == "rejected"
        assert found.place is not None
        assert (found.place.file, found.place.line) == (str(first), number)
    lines = whole.splitlines(keepends=True)
    del lines[number - 1]
    first.write_text("".join(lines), encoding="utf-8")
    assert validated(folder, "2.0.0").verdict == "rejected"


def test_the_end_of_a_log_may_be_missing(tmp_path: Path) -> None:
    folder = simulated(3, "2.3", tmp_path)
    last = max(folder.rglob("state-change.log"), key=lambda path: path.stat().st_size)
    lines = last.read_text("utf-8").splitlines(keepends=True)
    keep = random.Random(1).randrange(len(lines) // 2, len(lines))
    last.write_text("".join(lines[:keep]), encoding="utf-8")
    assert validated(folder, "2.3").verdict in ("accepted", "rejected")  # decided, whatever is cut
    evidence = read.read([str(folder)])
    assert evidence.lines == sum(len(each.read_text("utf-8").splitlines()) for each in folder.rglob("*.log"))


@pytest.mark.full
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
    code, said = command("cluster", str(folder), "--release", "2.8")
    assert (code, said["verdict"]) == (1, "rejected")


def test_what_the_model_does_not_follow_is_named_with_its_line() -> None:
    """The lines before it are: they are looked for, and one that no run writes would be rejected."""
    recording = str(RECORDED / "log-dir-failure-2.8.2")
    without = ("--release", "2.8", "--without", "log directories without requests")
    code, said = command("cluster", recording, *without)
    assert (code, said["verdict"], said["guard"]) == (3, "unknown", None)
    assert "a log directory had failed by then" in said["reason"]
    assert (Path(said["line"]["file"]).name, said["line"]["line"]) == ("state-change.log", 32)
    assert 0 < said["matched"] < said["compared"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("recording", "options", "why"),
    [
        ("log-dir-failure-3.9.1", ("--brokers", "--without", "log directories"), "a log directory had failed"),
        pytest.param("zombie-2.8.2", ("--brokers",), "broker 2 was gone and came back", marks=slow),
        pytest.param("deposed-2.3.1", (), "a deposed controller", marks=slow),
        pytest.param("unclean-2.8.2-trace", ("--brokers",), "broker 3 lost its ZooKeeper session", marks=slow),
    ],
)
def test_what_the_model_lacks_is_not_held_against_a_recording(
    recording: str, options: tuple[str, ...], why: str
) -> None:
    release = recording.removesuffix("-trace").rpartition("-")[2]
    code, said = command("cluster", str(RECORDED / recording), "--release", release, *options)
    assert (code, said["verdict"], said["guard"]) == (3, "unknown", None)
    assert why in said["reason"]


def test_what_cannot_be_decided_is_unknown(tmp_path: Path) -> None:
    folder = RECORDED / "failover-on-leader-2.0.0-kill" / "broker-4"
    code, said = command("cluster", str(folder))
    assert (code, said["verdict"]) == (3, "unknown")
    assert "begins in controller epoch 2" in said["reason"]
    quiet = tmp_path / "controller.log"
    quiet.write_text(
        "[2018-08-03 12:00:00,123] INFO [Controller id=3] Currently active brokers in the cluster: Set(1, 2, 3) "
        "(kafka.controller.KafkaController)\n",
        encoding="utf-8",
    )
    code, said = command("cluster", str(quiet))
    assert (code, said["verdict"]) == (3, "unknown")
    assert "nothing to validate" in said["reason"]
    code, said = command("cluster", str(RECORDED / "chaos-2.3.1-1"), "--release", "2.3", "--brokers")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "4 brokers and 8 partitions do not fit" in said["reason"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("cluster", "nowhere"), "nowhere"),
        (("kip320", str(RECORDED / "failover-on-leader-2.0.0-kill")), "declare no lines"),
        (("cluster", str(RECORDED / "failover-on-leader-2.0.0-kill"), "--release", "1.0.2"), "no row for Kafka 1.0.2"),
        (("cluster", str(RECORDED / "lifecycle-0.11.0.3")), "the model has rows for"),
    ],
)
def test_misuse_is_told(arguments: tuple[str, ...], says: str) -> None:
    code, said = command(*arguments)
    assert (code, said["verdict"]) == (2, "error")
    assert re.search(says, said["error"])


def test_the_settings_of_an_instance_are_those_that_the_model_has() -> None:
    evidence = read.read([str(RECORDED / "failover-on-leader-2.0.0-kill")])
    names = ["max_leader_epoch", "brokers", "most_requests"]
    assert set(evidence.settings(name for name in names)) == {*names}


def test_what_only_limits_a_search_is_left_out() -> None:
    endless = unlimited(CLUSTER.model("2.3"))
    assert "outages_so_far" not in {each.name for each in endless.fields}
    assert not any(each.limits for each in endless.actions)
    assert {each.name for each in endless.fields} == {
        each.name for each in CLUSTER.model("2.3").fields if each.name != "outages_so_far"
    }


@pytest.mark.parametrize("name", ["raft", "raft-voters", "kip320"])
def test_a_model_that_prints_nothing_writes_no_log(name: str) -> None:
    ran = CliRunner().invoke(main, ["validate", name, str(RECORDED / "failover-on-leader-2.0.0-kill")])
    assert ran.exit_code == 2
    assert f"expected kraft, cluster, or your own model whose steps print lines (FILE.py:NAME), got {name}, " in (
        ran.output
    )


def test_an_unknown_model_is_misuse() -> None:
    ran = CliRunner().invoke(main, ["validate", "clutser", str(RECORDED / "failover-on-leader-2.0.0-kill")])
    assert (ran.exit_code, "did you mean 'cluster'?" in ran.output) == (2, True)


def test_a_model_whose_steps_print_nothing_is_refused() -> None:
    code, said = command("raft", str(RECORDED / "failover-on-leader-2.0.0-kill"))
    assert (code, said["verdict"]) == (2, "error")
    assert "got raft, whose steps declare no lines" in said["error"]
