"""The audit of metadata logs: what is committed, where a history begins, what the report says, in both readings."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.metadata import copies
from isrproof.checker.audit.history.quorum import Quorum, joined, quorums
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import RecordsReport, Report
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError
from isrproof.specs.machines import machine
from isrproof.traces.cases import FOLDER, cases
from isrproof.traces.metadata.files import found_in
from isrproof.traces.metadata.text import log_bytes
from isrproof.traces.metadata.writer import raw_batch

from tests.conftest import SHARED
from tests.metadata_logs import unpack_samples

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
SEGMENT = "00000000000000000000.log"
BEGINNING = (FOLDER / "three-brokers.jsonl").read_text(encoding="utf-8").splitlines()
TOPIC = "ordersAAAAAAAAAAAAAAAA"


def change(offset: int, epoch: int = 1, **data: object) -> str:
    row = {"offset": offset, "epoch": epoch, "type": "PARTITION_CHANGE_RECORD", "data": {"topicId": TOPIC, **data}}
    return json.dumps(row)


def elected(offset: int, epoch: int, leader: int, voters: Sequence[int] = (1, 2, 3)) -> str:
    those = [{"voterId": voter} for voter in voters]
    data = {"leaderId": leader, "voters": those, "grantingVoters": those}
    return json.dumps({"offset": offset, "epoch": epoch, "type": "LEADER_CHANGE", "version": 0, "data": data})


THREE_VOTERS = [elected(0, 1, 1), *BEGINNING[1:]]


def put(folder: Path, node: int, lines: Sequence[str], name: str = SEGMENT, cluster: str = "c") -> Path:
    """A file of a node's metadata log."""
    file = folder / f"node-{node}" / "__cluster_metadata-0" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(log_bytes(lines))
    (file.parents[1] / "meta.properties").write_text(f"version=1\nnode.id={node}\ncluster.id={cluster}\n")
    return file


def report(*paths: Path, engine: str = "python", **options: object) -> Report:
    (found,) = audit([str(path) for path in paths], Options(engine=engine, **options))  # type: ignore[arg-type]
    return found


def quorum(folder: Path) -> Quorum:
    (found,) = quorums(copies(found_in([str(folder)])))
    return found


def found(shown: Report) -> list[tuple[str, str, int | None]]:
    return [(each.rule, each.verdict, each.place.offset) for each in shown.findings]


def test_what_a_majority_has_is_committed(tmp_path: Path) -> None:
    tail = [change(13, isr=[1, 2]), change(14, isr=[1])]
    put(tmp_path, 1, [*THREE_VOTERS, *tail])
    put(tmp_path, 2, [*THREE_VOTERS, *tail[:1]])
    put(tmp_path, 3, THREE_VOTERS)
    assert (quorum(tmp_path).committed, quorum(tmp_path).end) == (14, 15)
    assert report(tmp_path).coverage.records == RecordsReport(decoded=14, control=1, unknown=0, uncommitted=1)


def test_one_copy_of_three_is_committed_up_to_its_last_epoch(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, change(13, isr=[1, 2]), elected(14, 2, 2), change(15, 2, isr=[1])])
    shown = quorum(tmp_path)
    assert (shown.committed, shown.because) == (14, "a later epoch begins there")


def test_the_only_voter_commits_alone(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])])
    assert quorum(tmp_path).committed == 14


def test_what_a_snapshot_has_is_committed(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, change(13, isr=[1, 2]), change(14, isr=[1])])
    put(tmp_path, 1, [], "00000000000000000014-0000000001.checkpoint")
    assert (quorum(tmp_path).committed, quorum(tmp_path).because) == (14, "a snapshot ends there")


def test_an_observer_is_no_voter(tmp_path: Path) -> None:
    for node in (1, 4, 5):
        put(tmp_path, node, [*THREE_VOTERS, change(13, isr=[1, 2])])
    assert quorum(tmp_path).committed == 0


def test_a_voter_that_was_copied_twice_is_one_voter(tmp_path: Path) -> None:
    log = [*THREE_VOTERS, change(13, isr=[1, 2])]
    put(tmp_path / "monday", 1, log)
    put(tmp_path / "tuesday", 1, log)
    assert quorum(tmp_path).committed == 0
    put(tmp_path / "tuesday", 2, log)
    assert quorum(tmp_path).committed == 14
    assert [log.nodes for log in report(tmp_path).metadata or ()] == [("1", "2")]


def test_a_snapshot_that_does_not_fit_the_log_commits_nothing(tmp_path: Path) -> None:
    """As of another cluster, where no meta.properties tells them apart: epoch 1 goes on to offset 13 and further."""
    put(tmp_path, 1, [*THREE_VOTERS, elected(13, 3, 1), change(14, 3, isr=[1, 2])])
    put(tmp_path, 2, [], "00000000000000000800-0000000002.checkpoint")
    assert quorum(tmp_path).committed == 13
    assert any("these folders are of several clusters" in note for note in report(tmp_path).notes)
    put(tmp_path, 2, [], "00000000000000000800-0000000003.checkpoint")
    assert quorum(tmp_path).committed == 15


def test_what_has_no_record_does_not_conform(tmp_path: Path) -> None:
    folder = tmp_path / "__cluster_metadata-0"
    folder.mkdir()
    for content in (b"", bytes(10_000)):
        (folder / "00000000000000000000.log").write_bytes(content)
        assert report(tmp_path).verdict == "nothing-to-check"
        shown = CliRunner().invoke(main, ["audit", str(tmp_path)])
        assert (shown.exit_code, "no segment with records" in shown.stdout) == (3, True)


def test_a_damaged_segment_is_told_as_one_in_any_folder(tmp_path: Path) -> None:
    """Its first length lies: no batch can be read, and its name says what it is."""
    shutil.copy(RECORDED / "failover-3.5.2" / "node-1" / "metadata" / "00000000000000000000.log", tmp_path)
    file = tmp_path / "00000000000000000000.log"
    raw = file.read_bytes()
    file.write_bytes(raw[:8] + b"\x7f\xff\xff\x00" + raw[12:])
    told = f"{file}: byte 0: expected a batch of records, got a length of 2147483392; the rest was not read"
    shown = report(tmp_path)
    assert (shown.verdict, told in shown.notes) == ("incomplete", True)
    assert told in CliRunner().invoke(main, ["records", str(tmp_path)]).stderr


def test_what_else_is_in_a_nodes_folder_is_left_aside(tmp_path: Path) -> None:
    """A topic's segments, indexes, and what Kafka is about to delete; alone, each is told."""
    put(tmp_path / "log", 1, BEGINNING)
    alone = report(tmp_path / "log")
    topic = raw_batch([b"\x0a\0\0\0\1\0"], 0, 0)
    for name, content, told in (
        ("orders-0/00000000000000000000.log", topic, "records of a topic"),
        ("empty-0/00000000000000000000.log", b"", "no record"),
        ("orders-1/00000000000000000000.index", bytes(40), "where records stand in a segment"),
        ("orders-2/00000000000000000000.log.deleted", topic, "was about to delete"),
    ):
        file = tmp_path / "log" / name
        file.parent.mkdir()
        file.write_bytes(content)
        other = CliRunner().invoke(main, ["audit", str(file.parent)])
        assert (other.exit_code, told in other.stderr) == (2, True), other.stderr
    both = report(tmp_path / "log")
    assert (both.verdict, both.notes, both.counts) == (alone.verdict, alone.notes, alone.counts)


def test_the_segments_of_several_nodes_in_one_folder_are_several_copies(tmp_path: Path) -> None:
    folder = RECORDED / "failover-3.5.2"
    for node in (1, 2, 3):
        shutil.copy(
            folder / f"node-{node}" / "metadata" / "00000000000000000000.log", tmp_path / f"n{node}-{'0' * 20}.log"
        )
    shown = report(tmp_path)
    assert shown.counts == dict.fromkeys(shown.counts, 0)
    assert [len(log.nodes) for log in shown.metadata] == [3]


def test_a_fault_that_is_not_committed_is_suspicious(tmp_path: Path) -> None:
    for node in (1, 2, 3):
        put(tmp_path, node, [*THREE_VOTERS, change(13, isr=[1, 2], leader=3)][: 14 if node == 1 else 13])
    assert found(report(tmp_path)) == [("KR505", "suspicious", 13)]
    put(tmp_path, 2, [*THREE_VOTERS, change(13, isr=[1, 2], leader=3)])
    assert found(report(tmp_path)) == [("KR505", "illegal", 13)]


def test_a_tail_of_an_earlier_epoch_is_told_apart(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, elected(13, 2, 1), change(14, 2, isr=[1, 2])])
    put(tmp_path, 2, [*THREE_VOTERS, elected(13, 2, 1), change(14, 2, isr=[1, 2])])
    put(tmp_path, 3, [*THREE_VOTERS, change(13, isr=[3], leader=2), change(14, isr=[2]), change(15, isr=[1])])
    shown = report(tmp_path)
    assert found(shown) == []
    assert shown.coverage.records is not None
    assert shown.coverage.records.uncommitted == 3
    assert any("3 records at its end" in note for note in shown.notes)


def test_a_log_that_begins_later_begins_with_a_snapshot(tmp_path: Path) -> None:
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    put(tmp_path, 1, [change(14, isr=[2], eligibleLeaderReplicas=[1])], "00000000000000000014.log")
    put(tmp_path, 1, snapshot, "00000000000000000014-0000000001.checkpoint")
    shown = report(tmp_path)
    assert found(shown) == []
    assert shown.rules["KR505"].held == 1
    assert any("history begins with the snapshot" in note for note in shown.notes)


def test_a_timeline_begins_with_what_the_snapshot_has(tmp_path: Path) -> None:
    """Each partition's states together, in the order of the log."""
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    begins = put(tmp_path, 1, snapshot, "00000000000000000014-0000000001.checkpoint")
    segment = put(tmp_path, 1, [change(14, isr=[2], eligibleLeaderReplicas=[1])], "00000000000000000014.log")
    shown = report(tmp_path, timeline=True)
    (at,) = [number for number, line in enumerate(snapshot) if '"PARTITION_RECORD"' in line]
    assert [(row.place.file, row.place.offset, row.isr) for row in shown.timeline or ()] == [
        (str(begins), json.loads(snapshot[at])["offset"], (1, 2)),
        (str(segment), 14, (2,)),
    ]
    assert {(row.topic, row.partition) for row in shown.timeline or ()} == {("orders", 0)}


def test_a_snapshot_tells_the_level_that_a_log_begins_at(tmp_path: Path) -> None:
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    put(tmp_path, 1, snapshot, "00000000000000000014-0000000001.checkpoint")
    alone = CliRunner().invoke(main, ["audit", str(tmp_path)])
    put(tmp_path, 1, [change(14, isr=[2], eligibleLeaderReplicas=[1])], "00000000000000000014.log")
    with_segment = CliRunner().invoke(main, ["audit", str(tmp_path)])
    said = re.compile(r"^  metadata\.version:\n    time not in the log      \S+ \(offset 14\)$", re.MULTILINE)
    for shown in (alone.stdout, with_segment.stdout):
        assert said.search(shown), shown
    assert alone.exit_code == 3
    assert (
        "metadata log of node 1: no segment with records, committed before 14 (a snapshot ends there)" in alone.stdout
    )


def test_what_is_no_copy_of_the_log_is_not_audited_alone(tmp_path: Path) -> None:
    """But in one line that says what it is; nor is it held against the model."""
    shutil.copy(RECORDED / "elr-4.0.0" / "node-1" / "bootstrap.checkpoint", tmp_path)
    for path in (tmp_path, tmp_path / "bootstrap.checkpoint"):
        audited = CliRunner().invoke(main, ["audit", str(path)])
        assert (audited.exit_code, audited.stdout) == (2, "")
        assert "It has what the format tool wrote" in audited.stderr
        assert "isrproof records" in audited.stderr
        validated = CliRunner().invoke(main, ["validate", "kraft", str(path)])
        assert validated.exit_code == 2
        assert "got neither segments nor snapshots" in validated.stderr


def test_a_log_that_begins_nowhere_is_judged_as_far_as_it_tells(tmp_path: Path) -> None:
    later = "laterAAAAAAAAAAAAAAAAA"
    topic = {"offset": 21, "epoch": 1, "type": "TOPIC_RECORD", "data": {"name": "new", "topicId": later}}
    wrong = {"topicId": later, "replicas": [1, 2], "isr": [1, 2], "leader": 3}
    partition = {"offset": 22, "epoch": 1, "type": "PARTITION_RECORD", "data": wrong}
    put(tmp_path, 1, [change(20, isr=[9], leader=9), json.dumps(topic), json.dumps(partition)], f"{20:020d}.log")
    shown = report(tmp_path)
    assert found(shown) == [("KR505", "suspicious", 22)]
    assert any("no snapshot shows the state before that" in note for note in shown.notes)


def test_a_hole_in_the_log_is_no_fault_of_what_follows(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])])
    put(tmp_path, 1, [change(20, isr=[9], leader=9)], f"{20:020d}.log")
    assert [each[0] for each in found(report(tmp_path))] == ["KR501"]


def test_clusters_of_two_ids_are_two_histories(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])], cluster="one")
    put(tmp_path, 2, [*BEGINNING, change(13, isr=[1, 3])], cluster="two")
    shown = report(tmp_path)
    assert found(shown) == []
    assert shown.metadata is not None
    assert [log.nodes for log in shown.metadata] == [("1",), ("2",)]


def test_a_lone_segment_is_audited(tmp_path: Path) -> None:
    file = put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2], leader=3)])
    alone = tmp_path / "segment.bin"
    shutil.copy(file, alone)
    assert found(report(alone)) == [("KR505", "illegal", 13)]


def test_a_broken_batch_makes_the_audit_incomplete(tmp_path: Path) -> None:
    file = put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2], leader=3)])
    file.write_bytes(file.read_bytes()[:-3])
    shown = report(tmp_path)
    assert (shown.verdict, found(shown)) == ("incomplete", [])
    assert any("cut off" in note for note in shown.notes)


def test_text_logs_beside_a_metadata_log_are_audited_too(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2], leader=3)])
    text = next(each for each in cases()["KR201"].excerpts if each.fires)
    text.write(tmp_path)
    shown = report(tmp_path)
    assert {each.rule for each in shown.findings} >= {"KR201", "KR505"}
    assert len(shown.files) == 2


def test_the_report_as_json(tmp_path: Path) -> None:
    file = put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2], leader=3)])
    shown = as_json(report(tmp_path, timeline=True))
    assert shown["coverage"]["records"] == {"decoded": 13, "control": 1, "unknown": 0, "uncommitted": 0, "partial": 0}
    (finding,) = shown["findings"]
    assert finding["place"] == {"file": str(file), "offset": 13}
    assert (finding["file"], finding["offset"], finding["controller_epoch"]) == (str(file), 13, 1)
    assert finding["excerpt"].startswith('PARTITION_CHANGE_RECORD {"partitionId": 0')
    (log,) = shown["metadata"]
    assert (log["nodes"], log["begins"], log["ends"], log["committed"]) == (["1"], 0, 14, 14)
    assert log["levels"] == [{"offset": 1, "ts": at(1), "level": 27, "name": "4.1-IV1"}]
    assert log["reigns"] == [{"epoch": 1, "leader": 1, "offset": 0, "first": at(0), "last": at(13)}]
    assert log["leaders"] == {1: 1}
    assert [row["partition_epoch"] for row in shown["timeline"]] == [0, 1]


def at(offset: int) -> int:
    """When the record at an offset was written."""
    return 1_700_000_001_000 + 1_000 * offset


def registration(offset: int, broker: int, epoch: int, **data: int) -> str:
    row = {"brokerId": broker, "brokerEpoch": epoch, **data}
    return json.dumps({"offset": offset, "type": "BROKER_REGISTRATION_CHANGE_RECORD", "data": row})


def test_how_brokers_came_and_went_is_told(tmp_path: Path) -> None:
    unregisters = {"offset": 16, "type": "UNREGISTER_BROKER_RECORD", "data": {"brokerId": 2, "brokerEpoch": 6}}
    changes = [registration(13, 3, 7, inControlledShutdown=1), registration(14, 3, 7, fenced=1)]
    put(tmp_path, 1, [*BEGINNING, *changes, registration(15, 2, 6, fenced=1), json.dumps(unregisters)])
    (log,) = as_json(report(tmp_path))["metadata"]
    assert [(each["offset"], each["broker"], each["epoch"], each["state"]) for each in log["brokers"]] == [
        *((5, 1, 5, "Fenced"), (6, 2, 6, "Fenced"), (7, 3, 7, "Fenced")),
        *((8, 1, 5, "Unfenced"), (9, 2, 6, "Unfenced"), (10, 3, 7, "Unfenced")),
        *((13, 3, 7, "ControlledShutdown"), (14, 3, 7, "ShutDown")),
        *((15, 2, 6, "Fenced"), (16, 2, 6, "Unregistered")),
    ]
    assert [each["ts"] for each in log["brokers"]] == [at(each["offset"]) for each in log["brokers"]]
    assert list(log["brokers"][0]) == ["offset", "ts", "broker", "epoch", "state"]
    states = {state.name for state in machine("broker-registration").states}
    assert {each["state"] for each in log["brokers"]} == states
    text = CliRunner().invoke(main, ["audit", str(tmp_path)]).output
    at_end = "brokers at the end: Unfenced 1; Unregistered 2; ShutDown 3"
    assert f"  {at_end}; 10 changes of registrations, the last 8:\n" in text
    assert "    2023-11-14 22:13:37.000  broker 2 Unregistered (offset 16)\n" in text
    reign = "2023-11-14 22:13:21.000  epoch 1 led by 1, its last batch at 2023-11-14 22:13:37.000 (offset 0)"
    assert f"  1 raft epoch:\n    {reign}\n" in text


def test_what_brokers_are_is_not_known_where_records_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level without a record is not told either; and whose the copy is, if no file says it."""
    lines = [*BEGINNING, change(13, isr=[1, 2]), change(15, isr=[1]), registration(16, 3, 7, fenced=1)]
    file = put(tmp_path, 1, lines)
    (log,) = as_json(report(tmp_path))["metadata"]
    assert [tuple(each.values()) for each in log["brokers"]][-3:] == [
        *((15, None, 1, 5, "Unknown"), (15, None, 2, 6, "Unknown"), (15, None, 3, 7, "Unknown")),
    ]
    assert [each["offset"] for each in log["levels"]] == [1]
    file.parents[1].joinpath("meta.properties").unlink()
    monkeypatch.chdir(file.parent)
    text = CliRunner().invoke(main, ["audit", SEGMENT]).output
    assert "metadata log of a node that no file names: offsets 0 to 16" in text
    assert "records right before offset 15 are in no file" in text


def test_a_report_without_a_metadata_log_says_nothing_of_records(tmp_path: Path) -> None:
    next(each for each in cases()["KR201"].excerpts if each.fires).write(tmp_path)
    shown = as_json(report(tmp_path))
    assert "records" not in shown["coverage"]
    assert "metadata" not in shown


def test_the_command_tells_of_the_log(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])])
    result = CliRunner().invoke(main, ["audit", str(tmp_path)])
    assert result.exit_code == 0
    assert "metadata log of node 1: offsets 0 to 13, committed before 14 (the quorum has one voter)" in result.stdout
    assert "1 file, 0 lines; 14 records: 13 decoded, 1 control, 0 unknown, 0 not known to be committed" in result.stdout


def test_a_folder_with_nothing_of_either_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "quorum-state").write_text("{}")
    with pytest.raises(IsrproofError):
        report(tmp_path)


@pytest.mark.full(every=10)
@pytest.mark.parametrize("code", [code for code in cases() if code.startswith("KR5")])
def test_cases_give_the_same_bytes_in_columns(code: str, tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="columns in memory need NumPy")
    for number, excerpt in enumerate(cases()[code].excerpts):
        excerpt.write(tmp_path / str(number))
    clusters = sorted(str(path) for path in tmp_path.iterdir())
    shown = {
        engine: [as_json(each) for each in audit(clusters, Options(each=True, engine=engine, timeline=True))]
        for engine in ("python", "columns")
    }
    assert json.dumps(shown["python"]) == json.dumps(shown["columns"])


@pytest.mark.full
@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_two_real_clusters(tmp_path: Path, engine: str) -> None:
    """No false alarm; what is known of the 4.1.0 run is found (kafka/kraft-samples/README.md)."""
    one, other = sorted(unpack_samples(SHARED, tmp_path).iterdir())
    shown = report(one, engine=engine)
    assert found(shown) == []
    assert shown.coverage.records == RecordsReport(decoded=428, control=14, unknown=0, uncommitted=0)
    shown = report(other, engine=engine)
    suspicious = {"KR522": 3, "KR546": 2, "KR551": 2}
    assert Counter(each[:2] for each in found(shown)) == {(code, "suspicious"): n for code, n in suspicious.items()}
    assert shown.rules["KR504"].held == 56


def test_a_cluster_whose_bootstrap_records_were_lost_is_judged_at_its_level(tmp_path: Path) -> None:
    """KAFKA-20839: it runs at 3.0-IV1, which has its own records, and raises the leader epoch on each shrink."""
    features = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 21}]

    def record(offset: int, kind: str, data: dict[str, object], batch: int | None = None) -> str:
        return json.dumps(
            {"offset": offset, "epoch": 1, "type": kind, "version": 0, "data": data, "batch": batch or offset}
        )

    brokers = {
        offset: {"brokerId": offset, "brokerEpoch": offset, "incarnationId": f"p{offset}".ljust(22, "A")}
        for offset in (1, 2)
    }
    partition = {"topicId": TOPIC, "replicas": [1, 2], "isr": [1, 2], "leader": 1}
    lines = [
        elected(0, 1, 1, voters=(1,)),
        *(
            record(n, "REGISTER_BROKER_RECORD", {**each, "fenced": True, "features": features})
            for n, each in brokers.items()
        ),
        record(3, "UNFENCE_BROKER_RECORD", {"id": 1, "epoch": 1}),
        record(4, "UNFENCE_BROKER_RECORD", {"id": 2, "epoch": 2}),
        record(5, "TOPIC_RECORD", {"name": "orders", "topicId": TOPIC}),
        record(6, "PARTITION_RECORD", partition),
        record(7, "PARTITION_CHANGE_RECORD", {"topicId": TOPIC, "isr": [1], "leader": 1}, batch=7),
        record(8, "FENCE_BROKER_RECORD", {"id": 2, "epoch": 2}, batch=7),
    ]
    put(tmp_path, 1, lines)
    shown = report(tmp_path)
    assert [(each.rule, each.place.offset, each.known_issue) for each in shown.findings] == [
        ("KR518", 1, "KAFKA-20839")
    ]
    assert shown.rules["KR515"].held == 1
    assert shown.rules["KR513"].held == 1


@pytest.mark.parametrize("form", ["text", "markdown", "github", "sarif"])
def test_a_known_bug_is_named_that_no_release_has_mended(form: str, tmp_path: Path) -> None:
    next(each for each in cases()["KR518"].excerpts if each.fires).write(tmp_path)
    result = CliRunner().invoke(main, ["audit", str(tmp_path), "--format", form])
    assert re.search(r"KAFKA-20839\S*, not fixed in any release", result.stdout)


_ODD = ("", "{", "[" * 60_000, "7", '{"leaderEpoch": true, "leaderId": "2", "votedId": 1e9}', "\0")


@pytest.mark.parametrize("text", _ODD, ids=range(len(_ODD)))
def test_a_quorum_state_that_nobody_understands_says_nothing(text: str, tmp_path: Path) -> None:
    recorded = RECORDED / "failover-3.5.2"
    shutil.copytree(recorded, tmp_path / "cluster", ignore=shutil.ignore_patterns("*.gz", "*.xz"))
    for state in tmp_path.glob("cluster/node-*/metadata/quorum-state"):
        state.chmod(0o600)
        state.write_text(text)
    (report,) = audit([str(tmp_path / "cluster")], Options(engine="python"))
    assert not report.findings
    assert not report.rules["KR552"].evaluated


def by_hand(recording: Path) -> dict[str, list[tuple[str, int, int, int | None]]]:
    """By condition the stretches of a log in which a partition is in it: topic, partition, since and until when."""
    now: dict[tuple[str, int], dict[str, list[int] | int]] = {}
    names: dict[str, str] = {}
    since: dict[tuple[str, tuple[str, int]], int] = {}
    found: dict[str, list[tuple[str, int, int, int | None]]] = {"offline": [], "under-replicated": []}

    def over(condition: str, key: tuple[str, int], ts: int | None) -> None:
        began = since.pop((condition, key), None)
        if began is not None:
            found[condition].append((names[key[0]], key[1], began, ts))

    (quorum,) = quorums(copies(found_in([str(recording)])))
    for record in (record for each in joined(quorum, []) for record in each.records):
        data = record.data or {}
        if record.type == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
        elif record.type == "REMOVE_TOPIC_RECORD":
            for key in [key for key in now if key[0] == data["topicId"]]:
                del now[key]
                for condition in found:
                    over(condition, key, record.timestamp)
        elif record.type in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            key = data["topicId"], data["partitionId"]
            own = now.setdefault(key, {})
            own |= {name: data[name] for name in ("leader", "isr", "replicas") if data.get(name, -2) not in (None, -2)}
            so = {"offline": own["leader"] == -1, "under-replicated": not {*own["replicas"]} <= {*own["isr"]}}
            for condition, is_so in so.items():
                if is_so:
                    since.setdefault((condition, key), record.timestamp)
                else:
                    over(condition, key, record.timestamp)
    for condition, key in [*since]:
        over(condition, key, None)
    return found


@pytest.mark.full(every=14)
@pytest.mark.parametrize("recording", sorted(each.name for each in RECORDED.glob("*-*") if "segments" not in each.name))
def test_partitions_are_offline_and_under_replicated_as_the_records_say(recording: str) -> None:
    (log,) = report(RECORDED / recording).metadata or ()
    for counted in log.counts:
        expected = by_hand(RECORDED / recording)[counted.condition]
        own = [each for each in log.conditions if each.condition == counted.condition]
        assert sorted((each.topic, each.partition, each.since, each.until) for each in own) == sorted(expected)
        assert (counted.spells, counted.last_shown) == (len(expected), 0)
        assert counted.lasting == len({each[:2] for each in expected if each[3] is None})
        assert counted.partitions == len({each[:2] for each in expected})
        lengths = [until - since for _, _, since, until in expected if until is not None]
        assert counted.longest == max(lengths, default=0)


def test_a_partition_is_offline_until_it_is_elected_deleted_or_the_log_ends(tmp_path: Path) -> None:
    gone = {"offset": 16, "epoch": 1, "type": "REMOVE_TOPIC_RECORD", "data": {"topicId": TOPIC}}
    put(tmp_path, 1, [*BEGINNING, change(13, leader=-1), change(14, leader=2), change(15, leader=-1, isr=[2])])
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end, each.by, each.place.offset) for each in log.conditions] == [
        ("offline", "lasts", None, 15),
        ("offline", "over", "elected", 13),
        ("under-replicated", "lasts", None, 15),
    ]
    shown = CliRunner().invoke(main, ["audit", str(tmp_path)]).stdout
    assert "; also 1 partition offline at the end, 1 partition under-replicated at the end" in shown
    assert re.search(r"^  offline at the end: 1 partition: orders-0 \(leaderless\) since ", shown, re.MULTILINE), shown
    put(tmp_path, 1, [json.dumps(gone)], "00000000000000000016.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end, each.by) for each in log.conditions if each.place.offset == 15] == [
        ("offline", "over", "deleted"),
        ("under-replicated", "over", "deleted"),
    ]


def test_what_is_offline_in_a_snapshot_began_before_it(tmp_path: Path) -> None:
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    offline = [line.replace('"leader": 2', '"leader": -1').replace('"leader": 1', '"leader": -1') for line in snapshot]
    assert offline != list(snapshot)
    put(tmp_path, 1, offline, "00000000000000000014-0000000001.checkpoint")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end, each.since) for each in log.conditions if each.condition == "offline"] == [
        ("offline", "lasts", None)
    ]
    put(tmp_path, 1, [change(20, isr=[1, 2, 3], leader=1)], "00000000000000000020.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end) for each in log.conditions if each.condition == "offline"] == []


def test_where_records_are_missing_a_partition_was_last_shown_offline(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, leader=-1)])
    put(tmp_path, 1, [change(20, isr=[1, 2])], "00000000000000000020.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end) for each in log.conditions] == [("offline", "last shown")]
    gone = {"offset": 21, "epoch": 1, "type": "REMOVE_TOPIC_RECORD", "data": {"topicId": TOPIC}}
    put(tmp_path, 1, [json.dumps(gone)], "00000000000000000021.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.topic, each.condition, each.by) for each in log.conditions] == [("orders", "offline", "deleted")]


def test_only_the_conditions_that_are_asked_for_are_told() -> None:
    """Of a partition; and those that are over before a time, or begin after it, are of another stretch."""
    recording = RECORDED / "elr-4.0.0"
    whole = [each for log in report(recording).metadata or () for each in log.conditions]
    (narrowed,) = audit([str(recording)], Options(engine="python", partition=("e", 0)))
    (log,) = narrowed.metadata or ()
    assert {*log.conditions} == {each for each in whole if (each.topic, each.partition) == ("e", 0)} != set()
    between = min(each.until for each in whole if each.until is not None)
    (narrowed,) = audit([str(recording)], Options(engine="python", since=between + 1))
    (log,) = narrowed.metadata or ()
    later = {each for each in whole if each.until is None or each.until > between}
    assert {*log.conditions} == later != {*whole}
    assert sum(each.spells for each in log.counts) == len(later)


def known(folder: Path, **asked: object) -> list[tuple[str, int]]:
    return [(each.issue, each.first) for log in report(folder, **asked).metadata or () for each in log.known]


def test_faults_that_are_no_findings_are_told_with_their_issue(tmp_path: Path) -> None:
    """A log of 3.5 (level 11): its epochs rise on shrinks, and for nothing; broker 2's is one too small."""
    features = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 11}]

    def record(offset: int, kind: str, batch: int | None = None, version: int = 0, **data: object) -> str:
        return json.dumps(
            {"offset": offset, "epoch": 1, "type": kind, "version": version, "data": data, "batch": batch or offset}
        )

    def registers(offset: int, broker: int, epoch: int, incarnation: str) -> str:
        own = {"brokerId": broker, "brokerEpoch": epoch, "incarnationId": incarnation.ljust(22, "A"), "fenced": True}
        return record(offset, "REGISTER_BROKER_RECORD", version=2, **own, features=features)

    changes = "BROKER_REGISTRATION_CHANGE_RECORD"
    lines = [
        elected(0, 1, 1, voters=(1,)),
        record(1, "FEATURE_LEVEL_RECORD", name="metadata.version", featureLevel=11),
        registers(2, 1, 2, "one"),
        registers(3, 2, 2, "two"),
        record(4, changes, brokerId=1, brokerEpoch=2, fenced=-1),
        record(5, changes, brokerId=2, brokerEpoch=2, fenced=-1),
        record(6, "TOPIC_RECORD", name="orders", topicId=TOPIC),
        record(7, "PARTITION_RECORD", topicId=TOPIC, replicas=[1, 2], isr=[1, 2], leader=1),
        record(8, "PARTITION_CHANGE_RECORD", topicId=TOPIC, isr=[1], leader=1),
        record(9, "PARTITION_CHANGE_RECORD", batch=9, topicId=TOPIC, leader=-1),
        record(10, changes, batch=9, brokerId=1, brokerEpoch=2, fenced=1),
        record(11, "PARTITION_CHANGE_RECORD", topicId=TOPIC, leader=-1),
        record(12, "TOPIC_RECORD", name="payments", topicId="paymentsAAAAAAAAAAAAAA"),
        record(13, "PARTITION_RECORD", topicId="paymentsAAAAAAAAAAAAAA", replicas=[2], isr=[2], leader=2),
        registers(14, 2, 14, "two"),
    ]
    put(tmp_path, 1, lines)
    shown = report(tmp_path)
    assert found(shown) == []
    (log,) = shown.metadata or ()
    assert [(each.issue, each.fixed_in, each.records, each.first) for each in log.known] == [
        ("KAFKA-15021", "3.6.0, from metadata.version 3.6-IV0 on", 1, 8),
        ("KAFKA-15213", "3.6.0", 1, 3),
        ("KAFKA-16624", "3.8.0", 1, 11),
        ("KAFKA-16952", "3.9.0", 1, 14),
    ]
    assert known(tmp_path, partition=("orders", 0)) == [("KAFKA-15021", 8), ("KAFKA-16624", 11)]
    assert known(tmp_path, partition=("payments", 0)) == []
    text = CliRunner().invoke(main, ["audit", str(tmp_path)]).stdout
    assert "    KAFKA-15021 (3.0-3.5; fixed in 3.6.0, from metadata.version 3.6-IV0 on): the leader epoch rises" in text


@pytest.mark.full
def test_only_the_faults_of_the_time_that_is_asked_for_are_told() -> None:
    recording = RECORDED / "chaos-3.5.2"
    whole = known(recording)
    states = [each.ts for each in report(recording, timeline=True).timeline or () if each.ts is not None]
    assert known(recording, until=max(states)) == whole != []
    assert known(recording, since=max(states) + 1) == []


def test_a_log_without_such_faults_tells_of_none(tmp_path: Path) -> None:
    """From level 12 on a shrink raises no leader epoch; that a replica left does."""
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2]), change(14, replicas=[1, 2], leader=1)])
    shown = report(tmp_path)
    assert [log.known for log in shown.metadata or ()] == [()]
