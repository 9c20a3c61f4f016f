"""Scenarios bug-*: what each does to a cluster, and the names that the audit of its recordings gives."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from signal import Signals

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.traces.record.errors import RecordError
from isrproof.traces.record.java import Java
from isrproof.traces.record.kraft import run
from isrproof.traces.record.kraft.cluster import KRaftCluster
from isrproof.traces.record.kraft.scenarios import find
from isrproof.traces.record.kraft.story import Story

from lab.bugs import named

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-bugs"
Answer = Callable[["Played", str], str]


class Played(KRaftCluster):
    """A cluster without processes; `refuses` are nodes that end as they start, as long as it says so."""

    deeds: list[str]
    refuses: Callable[[int], bool]
    answers: Answer

    def start(self, node: int) -> None:
        self.deeds.append(f"start {node}")
        self.running[node] = None  # type: ignore[assignment]

    def stop(self, node: int, number: Signals, seconds: float = 90.0) -> None:
        self.deeds.append(f"{number.name} {node}")
        del self.running[node]

    def signal(self, node: int, number: Signals) -> None:
        self.deeds.append(f"{number.name} {node}")

    def has_ended(self, node: int) -> bool:
        if not self.refuses(node):
            return False
        del self.running[node]
        return True

    def ask(self, command: str) -> str:
        if command == "brokers":
            return " ".join(str(each) for each in self.running if not self.refuses(each))
        if command in ("partitions", "quorum"):
            return "" if command == "partitions" else "1 1 1"
        self.deeds.append(command)
        return self.answers(self, command)

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Play a scenario, and return what was done to the cluster."""
    monkeypatch.setattr("time.sleep", lambda _: None)

    def play(
        name: str,
        refuses: Callable[[int], bool] = lambda _: False,
        answers: Answer = lambda *_: "ok",
        down: Collection[int] = (),
    ) -> list[str]:
        scenario = find(name)
        cluster = Played(Java("java", "17"), tmp_path, tmp_path, "4.1.1", scenario.layout, 0, {})
        cluster.deeds, cluster.refuses, cluster.answers = [], refuses, answers
        with cluster:
            for node in scenario.layout.nodes:
                cluster.running[node] = None  # type: ignore[assignment]
            scenario.run(Story(cluster, random.Random(0), lambda _: None))
            assert {*scenario.layout.nodes} - {*cluster.running} == {*down}
        return cluster.deeds

    return play


def lost_file(folder: Path) -> Path:
    file = folder / "node-2" / "data-1" / "lost-0" / "partition.metadata"
    file.parent.mkdir(parents=True)
    file.write_text("version: 0\n")
    return file


def test_a_topic_id_is_lost_while_its_broker_is_down(played: Callable[..., list[str]], tmp_path: Path) -> None:
    file = lost_file(tmp_path)
    assert played("bug-16814")[-2:] == ["SIGTERM 2", "start 2"]
    assert not file.exists()
    assert file.parent.is_dir()


def test_a_broker_that_does_not_start_loses_the_folder(played: Callable[..., list[str]], tmp_path: Path) -> None:
    file = lost_file(tmp_path)
    deeds = played("bug-16814", refuses=lambda node: node == 2 and file.parent.is_dir())
    assert deeds[-3:] == ["SIGTERM 2", "start 2", "start 2"]
    assert not file.parent.exists()


def test_replicas_move_to_and_fro_between_two_directories(played: Callable[..., list[str]], tmp_path: Path) -> None:
    deeds = played("bug-19571")
    disks = [each.rpartition("/")[2] for each in deeds if each.startswith("move ")]
    assert disks[:4] == ["data-2", "data-3", "data-2", "data-3"]
    assert deeds[-2:] == ["SIGTERM 2", "start 2"]


def test_no_replica_moves_once_a_directory_is_lost(played: Callable[..., list[str]]) -> None:
    def answers(cluster: Played, command: str) -> str:
        moves = [each for each in cluster.deeds if each.startswith("move ")]
        return "error KafkaStorageException" if command.startswith("move ") and len(moves) == 3 else "ok"

    deeds = played("bug-19571", answers=answers)
    assert sum(each.startswith("move ") for each in deeds) == 3
    assert deeds[-2:] == ["SIGTERM 2", "start 2"]


def test_reassignments_begin_once_the_broker_is_dead_and_it_stays_dead(played: Callable[..., list[str]]) -> None:
    deeds = played("bug-19975", down={2})
    dead = deeds.index("SIGKILL 2")
    assert [each for each in deeds if each.startswith("reassign")] == deeds[dead + 1 :]
    assert [each.split()[2:] for each in deeds[dead + 1 :]] == [["0", "1,2,3"], ["1", "2,3"], ["2", "3,1,2"]]


def test_a_topic_is_deleted_and_eligible_replicas_cleared_while_a_broker_sleeps(
    played: Callable[..., list[str]],
) -> None:
    deeds = played("bug-19383")
    between = deeds[deeds.index("SIGSTOP 3") + 1 : deeds.index("SIGCONT 3")]
    assert between == ["delete gone", "config * min.insync.replicas=2"]


@pytest.mark.parametrize("at", [1, 3, None])
def test_others_pause_as_a_controller_starts_until_its_registration_times_out(
    played: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int | None
) -> None:
    starts = Counter[int]()

    def starts_to(story: Story, node: int, text: str) -> bool:
        story.start(node)
        starts[node] += 1
        log = tmp_path / f"node-{node}" / "server.log"
        log.parent.mkdir(exist_ok=True)
        log.write_text("channel manager timed out before sending the request" if starts[node] == at else text)
        return True

    monkeypatch.setattr(Story, "starts_to", starts_to)
    monkeypatch.setattr(Story, "leader", lambda _: 11)
    deeds = played("bug-20247")
    one = ["SIGTERM 12", "start 12", "SIGSTOP 13", "SIGSTOP 11", "SIGCONT 13", "SIGCONT 11"]
    assert [each for each in deeds if not each.startswith("create")] == one * (at or 6)


def test_a_start_is_seen_in_what_the_log_has_since(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.traces.record.kraft.story.READY_SECONDS", 0.05)
    cluster = Played(Java("java", "17"), tmp_path, tmp_path, "4.1.1", find("bug-20247").layout, 0, {})
    cluster.deeds, cluster.answers = [], lambda *_: "ok"
    log = tmp_path / "node-12" / "server.log"
    log.parent.mkdir()
    story = Story(cluster, random.Random(0), lambda _: None)
    assert not story.starts_to(12, "is ready")
    log.write_text("12 is ready\n")
    assert not story.starts_to(12, "is ready")
    monkeypatch.setattr(cluster, "start", lambda _: log.write_text("12 is ready\n12 is ready\n"))
    assert story.starts_to(12, "is ready")


def test_a_broker_that_neither_comes_up_nor_ends_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.traces.record.kraft.story.READY_SECONDS", 0.0)
    cluster = Played(Java("java", "17"), tmp_path, tmp_path, "4.1.1", find("bug-16814").layout, 0, {})
    cluster.deeds, cluster.refuses, cluster.answers = [], lambda _: False, lambda *_: "ok"
    with pytest.raises(RecordError, match="Broker 2 did not come up"):
        Story(cluster, random.Random(0), lambda _: None).comes_up(2)


BUGS = {
    ("bug-16814", "3.6.2"): set(),
    ("bug-16814", "3.7.0"): {"KAFKA-16814"},
    ("bug-16814", "3.7.1"): {"KAFKA-21022"},
    ("bug-19571", "4.1.1"): {"looks like KAFKA-19571"},
    ("bug-19571", "4.1.2"): set(),
    ("bug-19975", "3.7.1"): {"KAFKA-15665"},
    ("bug-19975", "3.8.1"): {"KAFKA-19975"},
    ("bug-19975", "4.2.0"): {"KAFKA-19975"},
    ("bug-19975", "4.3.0"): set(),
    ("bug-19383", "4.0.0"): {"looks like KAFKA-19383"},
    ("bug-19383", "4.0.1"): set(),
    ("bug-20247", "3.9.1"): {"KAFKA-20247"},
    ("bug-20247", "4.2.0"): {"KAFKA-20247"},
    ("bug-20247", "4.2.1"): set(),
}
"""The names that the audit gives in a recording of a scenario on a release."""


OURS = {issue.removeprefix("looks like ") for issues in BUGS.values() for issue in issues}


def names(folder: Path) -> set[str]:
    """Return the names of these bugs that the audit of a recording gives."""
    (report,) = audit([str(folder)], Options())
    return {issue for issue, _, _ in named(report) if issue.removeprefix("looks like ") in OURS}


@pytest.mark.cluster
@pytest.mark.skipif(
    os.environ.get("ISRPROOF_CLUSTER") != "1", reason="starts a real Kafka cluster: set ISRPROOF_CLUSTER=1"
)
@pytest.mark.parametrize(("scenario", "version"), BUGS)
def test_the_audit_names_the_bug_on_a_real_cluster(scenario: str, version: str, tmp_path: Path) -> None:
    run.record(find(scenario), version, tmp_path / "recorded", run.Options(), lambda _: None)
    assert names(tmp_path / "recorded") == BUGS[scenario, version]


@pytest.mark.parametrize("folder", sorted(RECORDED.glob("*/")), ids=lambda folder: folder.name)
def test_a_committed_recording_shows_its_bug(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert folder.name == f"{manifest['scenario']}-{manifest['kafka']}"
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert kept - {"manifest.json", "timeline.jsonl"} == set(manifest["files"])
    assert names(folder) == BUGS[manifest["scenario"], manifest["kafka"]]


def test_what_the_committed_recordings_show() -> None:
    (report,) = audit([str(RECORDED / "bug-16814-3.7.0")], Options())
    (failed,) = [each for each in report.happened if each.what == "process-failed"]
    assert (failed.node, failed.issue, failed.trouble) == (2, "KAFKA-16814", True)
    (report,) = audit([str(RECORDED / "bug-19383-4.0.0")], Options())
    (finding,) = report.findings
    assert (finding.rule, finding.verdict, finding.looks_like) == ("KR504", "illegal", "KAFKA-19383")
    assert finding.message == "a snapshot differs from the log about gone"


def test_recordings_are_small_and_have_nothing_of_the_machine() -> None:
    paths = re.compile(rb"(?:/tmp(?!/kafka-logs\b)|/home/|/root/|/work/|/Users/)[\w/.-]*")
    files = [path for path in RECORDED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    for path in files:
        raw = path.read_bytes()
        unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix)
        assert not paths.findall(raw if unpack is None else unpack(raw)), path
