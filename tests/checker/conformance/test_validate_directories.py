"""Log directories that fail while their broker lives, in the lines of controllers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from isrproof.checker.conformance import read
from isrproof.model.cluster.state import DIRECTORIES, UNSEEN_DIRECTORIES

from tests.validated import RECORDED, Run, command

slow = pytest.mark.slow


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    "recording",
    [
        "log-dir-failure-2.0.0",
        "log-dir-failure-2.8.2-trace",
        "log-dir-failure-3.9.1",
        pytest.param("log-dir-failure-2.4.1", marks=slow),
        pytest.param("log-dir-failure-2.8.2", marks=slow),
        pytest.param("log-dir-failure-3.5.2", marks=slow),
    ],
)
def test_a_log_directory_that_failed_is_followed(recording: str) -> None:
    code, said = command("cluster", str(RECORDED / recording))
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    assert UNSEEN_DIRECTORIES in said["model"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("recording", "lines"),
    [
        ("log-dir-failure-2.0.0", 145),
        pytest.param("log-dir-failure-2.4.1", 155, marks=slow),
        pytest.param("log-dir-failure-2.8.2", 88, marks=slow),
        pytest.param("log-dir-failure-2.8.2-trace", 203, marks=slow),
        pytest.param("log-dir-failure-3.5.2", 86, marks=slow),
        pytest.param("log-dir-failure-3.9.1", 86, marks=slow),
    ],
)
def test_it_is_followed_in_what_brokers_write(recording: str, lines: int) -> None:
    code, said = command("cluster", str(RECORDED / recording), "--brokers")
    assert (code, said["verdict"], said["matched"], said["compared"]) == (0, "accepted", lines, lines)
    assert UNSEEN_DIRECTORIES not in said["model"]
    assert DIRECTORIES in said["model"]


def _failing(release: str) -> Run:
    """The directory of a leader fails, and its answer to the controller's question is on the way."""
    run = Run(release, "requests", DIRECTORIES, brokers=2, partitions=1)
    run.begin({"one": 1, "other": 0})
    run.go("HandleLeaderAndIsr", b=1)
    run.go("FailDirectory", b=1)
    run.go("AskForDirectories")
    run.go("HandleLeaderAndIsr", b=1)
    return run


@pytest.mark.full
@pytest.mark.parametrize(("release", "without_it"), [("2.1", "unknown"), ("2.8", "rejected")])
def test_a_directory_of_which_no_controller_learned(release: str, without_it: str, tmp_path: Path) -> None:
    """Only the broker prints which replica it no longer serves. Up to 2.1 a quick restart may be the reason, too."""
    _failing(release).write(tmp_path)
    asked = ("cluster", str(tmp_path), "--release", release, "--brokers")
    code, said = command(*asked)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    (path,) = (
        each for each in tmp_path.rglob("server.log") if "in the failed log directory" in each.read_text("utf-8")
    )
    path.write_text(re.sub(r".*in the failed log directory.*\n", "", path.read_text("utf-8")), "utf-8")
    assert command(*asked)[1]["verdict"] == without_it


def _changed(text: str, change: Callable[[str], str], folder: Path) -> dict[str, object]:
    """Return the answer for a recording with changed lines that have a text."""
    for path in (RECORDED / "log-dir-failure-2.8.2-trace").rglob("*.log"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        into = folder / path.parent.name / path.name
        into.parent.mkdir(parents=True, exist_ok=True)
        into.write_text("".join(change(each) if text in each else each for each in lines), "utf-8")
    return command("cluster", str(folder), "--release", "2.8")[1]


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "change"),
    [
        pytest.param("Mark replicas", lambda line: "", id="not marked"),
        pytest.param("Mark replicas", lambda line: line.replace("one-1,", ""), id="one not marked"),
        pytest.param("Mark replicas", lambda line: line.replace("on broker 2", "on broker 3"), id="another's marked"),
    ],
)
def test_what_no_controller_marked_as_offline_stays_online(
    text: str, change: Callable[[str], str], tmp_path: Path
) -> None:
    said = _changed(text, change, tmp_path)
    assert said["verdict"] == "rejected"


def _failed(release: str, folder: Path) -> Path:
    """The directory of a leader fails, and the controller marks its replica as offline."""
    run = _failing(release)
    run.go("MarkOffline", "ElectForDeadLeaders", "MoveReplicasOffline")
    run.write(folder)
    return folder


@pytest.mark.full
def test_a_controller_that_asks_for_directories_is_not_held_against_a_log_that_does_not_tell(tmp_path: Path) -> None:
    """Up to 2.1 only the broker whose directory failed says so; nothing in it is a replica of the topic's leader."""
    run = Run("2.1", UNSEEN_DIRECTORIES, brokers=2, partitions=1)
    run.begin({"one": 1, "other": 0})
    run.go("TellOfDirectory", b=1)
    run.go("AskForDirectories")
    run.write(tmp_path)
    code, said = command("cluster", str(tmp_path), "--release", "2.1")
    assert (code, said["verdict"]) == (3, "unknown")
    assert "a failed log directory may have been reported to the controller" in said["reason"]
    server = tmp_path / "broker-2" / "server.log"
    server.parent.mkdir(exist_ok=True)
    line = "[ReplicaManager broker=2] {} serving replicas in dir /d (kafka.server.ReplicaManager)\n"
    server.write_text("[2020-09-13 12:26:41,000] INFO " + line.format("Stopping"), "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", "2.1")
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    started = "[2020-09-13 12:26:41,000] INFO starting (kafka.server.KafkaServer)\n"
    registered = (
        "INFO Registered broker 2 at path x with addresses: x, czxid (broker epoch): 1 (kafka.zk.KafkaZkClient)\n"
    )
    server.write_text(started + "[2020-09-13 12:26:41,001] " + registered, "utf-8")
    code, said = command("cluster", str(tmp_path), "--release", "2.1")
    assert (code, said["verdict"]) == (1, "rejected")


@pytest.mark.full(every=4)
@pytest.mark.parametrize("release", ["2.1", "2.8"])
@pytest.mark.parametrize("files", ["all", "no server.log"])
def test_the_replica_of_a_failed_directory_leads_no_more(release: str, files: str, tmp_path: Path) -> None:
    folder = _failed(release, tmp_path)
    if files == "no server.log":
        for path in folder.rglob("server.log"):
            path.unlink()
    code, said = command("cluster", str(folder), "--release", release)
    assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])
    told = read.read([str(folder)]).directories
    assert told.offline == {(2, ("t1", 0))}
    (path,) = (each for each in folder.rglob("state-change.log") if "Mark replicas" in each.read_text("utf-8"))
    path.write_text(re.sub(r".*Mark replicas.*\n", "", path.read_text("utf-8")), "utf-8")
    code, said = command("cluster", str(folder), "--release", release)
    nobody_tells = (release, files) == ("2.1", "no server.log")
    assert (code, said["verdict"]) == ((3, "unknown") if nobody_tells else (1, "rejected"))
