"""Recordings of clusters in KRaft mode: what is configured, which releases and scenarios there are, what is kept."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import re
from collections import Counter
from pathlib import Path
from signal import Signals

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.specs.errors import UnknownNameError
from isrproof.traces.metadata.batches import Batches
from isrproof.traces.metadata.text import log_bytes
from isrproof.traces.record import releases
from isrproof.traces.record.errors import RecordError
from isrproof.traces.record.java import Java
from isrproof.traces.record.kraft.cluster import KRaftCluster, Roles, of_release
from isrproof.traces.record.kraft.dump import dumped
from isrproof.traces.record.kraft.migration import _format, _with_both, _with_zookeeper
from isrproof.traces.record.kraft.run import LAYOUTS, Options, _is_kept, _without_zeros, _write, line_of, record
from isrproof.traces.record.kraft.scenarios import find, scenarios
from isrproof.traces.record.kraft.story import Story

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
each_recorded = pytest.mark.parametrize("folder", sorted(RECORDED.glob("*/")), ids=lambda folder: folder.name)
SPLIT = Roles(controllers=(11, 12, 13), brokers=(1, 2, 3), disks=2)


def configured(folder: Path, layout: Roles, node: int, version: str) -> dict[str, str]:
    cluster = KRaftCluster(Java("java", "17"), folder, folder, version, layout, 0, {"log.cleaner.enable": "true"})
    with cluster:
        return {name: str(value) for name, value in cluster.configuration(node).items()}


def test_a_combined_node_has_both_listeners(tmp_path: Path) -> None:
    said = configured(tmp_path, Roles(), 1, "3.9.1")
    assert said["process.roles"] == "broker,controller"
    assert said["listeners"].count("://127.0.0.1:") == 2
    assert len(said["controller.quorum.voters"].split(",")) == 3
    assert said["log.cleaner.enable"] == "true"


def test_controllers_and_brokers_apart(tmp_path: Path) -> None:
    controller, broker = (configured(tmp_path, SPLIT, node, "3.5.2") for node in (11, 1))
    assert (controller["process.roles"], broker["process.roles"]) == ("controller", "broker")
    assert controller["listeners"].startswith("CONTROLLER://")
    assert "advertised.listeners" not in controller
    assert len(broker["log.dirs"].split(",")) == 2
    assert len(controller["log.dirs"].split(",")) == 1


@pytest.mark.parametrize(("version", "there"), [("3.3.2", False), ("3.4.1", True)])
def test_a_setting_is_given_to_releases_that_know_it(tmp_path: Path, version: str, there: bool) -> None:
    assert ("metadata.log.max.snapshot.interval.ms" in configured(tmp_path, Roles(), 1, version)) is there


def test_voters_that_change_are_told_to_the_format_tool_and_not_in_the_configuration(tmp_path: Path) -> None:
    layout = find("voters").layout
    cluster = KRaftCluster(Java("java", "17"), tmp_path, tmp_path, "4.1.0", layout, 0, {})
    with cluster:
        founding, joining, broker = (cluster._quorum(node) for node in (11, 14, 1))
        assert joining == broker == ["--no-initial-controllers"]
        assert founding[0] == "--initial-controllers"
        assert [each.split("@")[0] for each in founding[1].split(",")] == ["11", "12", "13"]
        said = cluster.configuration(11)
    assert "controller.quorum.voters" not in said
    assert len(str(said["controller.quorum.bootstrap.servers"]).split(",")) == 4


@pytest.mark.parametrize(
    ("version", "name"), [("3.9.1", "metadata.log.segment.bytes"), ("4.1.0", "internal.metadata.log.segment.bytes")]
)
def test_small_segments_have_another_name_in_later_releases(version: str, name: str) -> None:
    given = of_release(find("segments").settings, version)
    assert given[name] == "12000"
    assert sum(each.endswith("log.segment.bytes") for each in given) == 1


def test_a_broker_that_will_migrate_begins_without_kraft(tmp_path: Path) -> None:
    cluster = KRaftCluster(Java("java", "17"), tmp_path, tmp_path, "3.9.1", SPLIT, 0, {})
    with cluster:
        story = Story(cluster, random.Random(0), print)
        before, between = (each(story, 1, "127.0.0.1:1") for each in (_with_zookeeper, _with_both))
    assert "process.roles" not in {**before, **between}
    assert "controller.quorum.voters" not in before
    assert between["zookeeper.metadata.migration.enable"] == "true"
    assert between["controller.quorum.voters"] == cluster.voters
    assert before["broker.id"] == 1


def test_a_cluster_id_that_begins_like_an_option_is_told_to_the_format_tool(tmp_path: Path) -> None:
    with KRaftCluster(Java("java", "17"), tmp_path, tmp_path, "3.9.1", SPLIT, 0, {}) as cluster:
        cluster.cluster_id = "-7Lq2xHvQ9aYk3sEw1pZAw"
        asked = _format(Story(cluster, random.Random(0), print), 11)
    assert "--cluster-id=-7Lq2xHvQ9aYk3sEw1pZAw" in asked
    assert not any(each.startswith("-7") for each in asked)


def test_a_scenario_that_a_release_cannot_play_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"needs Kafka 3\.6 or later, before 4\.0; got 4\.1\.0"):
        record(find("migration"), "4.1.0", tmp_path / "x", Options(), print)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(("name", "layout"), [("migration", "combined"), ("voters", "combined"), ("voters", "split")])
def test_a_layout_that_a_scenario_cannot_play_on_is_refused(tmp_path: Path, name: str, layout: str) -> None:
    with pytest.raises(RecordError, match=rf"scenario {name} has its own nodes, .*; got the layout {layout}"):
        record(find(name), "3.9.1", tmp_path / "x", Options(layout=layout), print)
    assert not (tmp_path / "x").exists()


class Played(KRaftCluster):
    """A cluster without processes, in which every request is granted; `asked` has each with who was down."""

    asked: list[tuple[list[str], set[int]]]

    def start(self, node: int) -> None:
        self.down.discard(node)

    def stop(self, node: int, number: Signals, seconds: float = 90.0) -> None:
        self.down.add(node)

    def ask(self, command: str) -> str:
        self.asked.append((command.split(), set(self.down)))
        return {"brokers": " ".join(map(str, self.layout.brokers)), "partitions": ""}.get(command, "ok")

    def __enter__(self) -> Played:
        self.asked, self.down = [], set[int]()
        return self


def test_grow_reassigns_while_a_replica_that_stays_is_dead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    with Played(Java("java", "17"), tmp_path, tmp_path, "4.4.0", Roles(), 0, {}) as cluster:
        find("grow").run(Story(cluster, random.Random(0), lambda _: None))
    assert not cluster.down
    before = {
        (words[1], number): set(replicas.split(","))
        for words, _ in cluster.asked
        if words[0] == "create"
        for number, _, replicas in (each.partition("=") for each in words[2].split(";"))
    }
    moves = [
        (words[1], words[2], set(words[3].split(",")), down) for words, down in cluster.asked if words[0] == "reassign"
    ]
    assert {(topic, number) for topic, number, _, _ in moves} == set(before)
    seen = set()
    for topic, number, target, down in moves:
        (dead,) = map(str, down)
        assert dead in target
        added, removed = target - before[topic, number], before[topic, number] - target
        seen.add((len(added), len(removed), dead in added))
    assert seen == {(1, 0, False), (1, 0, True), (1, 1, False), (0, 1, False)}


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["error NotLeaderOrFollowerException ", "ok"], "ok"),
        (["error DuplicateVoterException "], "error DuplicateVoterException "),
    ],
)
def test_a_voter_is_asked_for_until_a_leader_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[str], said: str
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    given = iter(answers)
    monkeypatch.setattr(KRaftCluster, "ask", lambda *_: next(given))
    monkeypatch.setattr(KRaftCluster, "directory", lambda *_: "directory")
    with KRaftCluster(Java("java", "17"), tmp_path, tmp_path, "4.4.0", find("voters").layout, 0, {}) as cluster:
        assert Story(cluster, random.Random(0), lambda _: None).vote_in(14) == said
    assert not list(given)


def test_releases() -> None:
    assert line_of("3.3.2").scala == "2.13"
    assert line_of("4.2.0").name == "4.2"
    assert {line_of(each).scala for each in ("3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")} == {"2.13"}
    with pytest.raises(UnknownNameError, match=r"Did you mean '3\.9\.1'"):
        line_of("3.9.11")


def test_every_scenario_is_told_of_by_the_command() -> None:
    shown = CliRunner().invoke(main, ["record", "--help"]).stdout
    told = re.search(r"with --kraft they are (.*), and OUT", " ".join(shown.split()))
    assert told is not None
    assert set(re.split(r", | and ", told[1])) == set(scenarios())
    own, kraft = (re.escape(releases.first_to_last(lines)) for lines in (releases.LINES, releases.KRAFT_LINES))
    limits = re.search(rf"A release: {own}; with --kraft {kraft}, (.*?)\.\s", " ".join(shown.split()))
    assert limits is not None
    later = {each.name: ".".join(map(str, each.since)) for each in scenarios().values() if each.since > (3, 3)}
    assert dict(re.findall(r"for (\S+) from ([0-9.]+[0-9])", limits[1])) == later
    with pytest.raises(UnknownNameError, match="Did you mean 'elr'"):
        find("elrs")


def test_misuse_is_exit_code_2(tmp_path: Path) -> None:
    asked = ["record", "elr", "--out", str(tmp_path / "x"), "--kafka"]
    assert CliRunner().invoke(main, [*asked, "4.0.0", "--kraft", "apart"]).exit_code == 2
    assert CliRunner().invoke(main, [*asked, "2.0.0", "--kraft"]).exit_code == 2
    assert not (tmp_path / "x").exists()


def test_zeros_are_cut_off_and_nothing_else(tmp_path: Path) -> None:
    """The last byte of a record is a zero too."""
    file = tmp_path / "00000000000000000000.log"
    raw = log_bytes(['{"offset": 0, "type": "NO_OP_RECORD", "data": {}}'])
    assert raw.endswith(b"\0")
    file.write_bytes(raw + bytes(10_000))
    _without_zeros(file)
    assert file.read_bytes() == raw
    assert sum(len(each.records) for each in Batches(str(file))) == 1


def test_large_logs_are_compressed(tmp_path: Path) -> None:
    _write(tmp_path / "small.log", b"x")
    _write(tmp_path / "large.log", b"x" * 60_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.log.gz", "small.log"]
    assert gzip.decompress((tmp_path / "large.log.gz").read_bytes()) == b"x" * 60_000


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("00000000000000000000.log", True),
        ("00000000000000000092-0000000002.checkpoint", True),
        ("bootstrap.checkpoint", True),
        ("quorum-state", True),
        ("leader-epoch-checkpoint", True),
        ("meta.properties", True),
        ("00000000000000000000.index", False),
        ("00000000000000000000.timeindex", False),
        ("00000000000000000146.snapshot", False),
        ("00000000000000000000.log.deleted", False),
        ("partition.metadata", False),
    ],
)
def test_no_index_of_a_segment_is_kept(tmp_path: Path, name: str, kept: bool) -> None:
    (tmp_path / name).touch()
    assert _is_kept(tmp_path / name) is kept


@each_recorded
def test_a_committed_recording_is_what_its_manifest_says(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["mode"] == "kraft"
    assert folder.name == f"{manifest['scenario']}-{manifest['kafka']}"
    assert manifest["scenario"] in scenarios()
    line_of(manifest["kafka"])
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert kept - {"manifest.json", "timeline.jsonl"} == set(manifest["files"])
    assert {f"node-{node}" for node in (*manifest["controllers"], *manifest["brokers"])} == {
        path.split("/")[0] for path in manifest["files"]
    }
    assert set(LAYOUTS) == {"combined", "split"}


@pytest.mark.parametrize("folder", sorted(RECORDED.glob("grow-*/")), ids=lambda folder: folder.name)
def test_reassignments_that_end_before_the_dead_replica_is_back(folder: Path) -> None:
    """KAFKA-19975: since 4.3 the added replica alone must be in sync, unless more replicas are removed than added."""
    later = releases.key(folder.name.partition("-")[2]) >= (4, 3)
    names, ended, registered = dict[str, str](), set[tuple[str, int]](), Counter[int]()
    for row in next(rows for file, rows in dumped(folder) if file.suffix == ".log"):
        if not row.text.startswith("payload: ") or registered[2] == 2:
            continue
        payload = json.loads(row.text.removeprefix("payload: "))
        kind, data = payload["type"], payload["data"]
        if kind == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
        elif kind == "REGISTER_BROKER_RECORD":
            registered[data["brokerId"]] += 1
        elif kind == "PARTITION_CHANGE_RECORD" and [] in (data.get("addingReplicas"), data.get("removingReplicas")):
            ended.add((names[data["topicId"]], data["partitionId"]))
    assert registered[2] == 2
    assert ended == ({("grow", 0), ("grow", 1), ("swap", 0)} if later else set())


@pytest.mark.full(every=8)
@each_recorded
def test_nothing_of_the_machine_is_in_it(folder: Path) -> None:
    """But for Kafka's default of log.dirs, which it prints."""
    paths = re.compile(r"(?:/tmp(?!/kafka-logs\b)|/home/|/root/|/work/|/Users/)[\w/.-]*")
    hosts = re.compile(r"([\w.-]+):2\d{4}\b")
    for file in folder.rglob("*.*"):
        text = decompressed(file).decode("latin-1")
        assert not paths.findall(text), file
        assert set(hosts.findall(text)) <= {"127.0.0.1", "localhost"}, file


def test_all_are_small() -> None:
    assert sum(file.stat().st_size for file in RECORDED.rglob("*.*")) <= 10_000_000


def decompressed(file: Path) -> bytes:
    raw = file.read_bytes()
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(file.suffix)
    return raw if unpack is None else unpack(raw)


def test_a_release_without_zookeeper_is_told_how_it_is_recorded(tmp_path: Path) -> None:
    said = CliRunner().invoke(main, ["record", "failover-on-leader", "--kafka", "4.1.0", "--out", str(tmp_path / "x")])
    assert said.exit_code == 2
    assert "With --kraft" in said.output
