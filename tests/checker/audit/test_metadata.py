"""The audit of metadata logs: the files of nodes, the report and its forms, in both readings."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import RecordsReport
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError
from isrproof.traces.cases import cases
from isrproof.traces.metadata.writer import raw_batch

from tests.conftest import SHARED
from tests.metadata_folders import BEGINNING, RECORDED, at, change, found, put, report
from tests.metadata_logs import unpack_samples


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
    """A topic's segments, indexes, and files that Kafka is about to delete; alone, each is reported."""
    put(tmp_path / "log", 1, BEGINNING)
    alone = report(tmp_path / "log")
    topic = raw_batch([b"\x0a\0\0\0\1\0"], 0, 0)
    for name, content, told in (
        ("orders-0/00000000000000000000.log", topic, "records of a topic"),
        ("empty-0/00000000000000000000.log", b"", "no record"),
        ("orders-1/00000000000000000000.index", bytes(40), "the positions of records in a segment"),
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


def test_what_is_no_copy_of_the_log_is_not_audited_alone(tmp_path: Path) -> None:
    """But in one line that says what it is; nor is it held against the model."""
    shutil.copy(RECORDED / "elr-4.0.0" / "node-1" / "bootstrap.checkpoint", tmp_path)
    for path in (tmp_path, tmp_path / "bootstrap.checkpoint"):
        audited = CliRunner().invoke(main, ["audit", str(path)])
        assert (audited.exit_code, audited.stdout) == (2, "")
        assert "It has the records that the format tool wrote" in audited.stderr
        assert "isrproof records" in audited.stderr
        validated = CliRunner().invoke(main, ["validate", "kraft", str(path)])
        assert validated.exit_code == 2
        assert "got neither segments nor snapshots" in validated.stderr


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
@pytest.mark.slow(every=3)
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
    """No false alarm; what is known of the 4.1.0 run is found."""
    one, other = sorted(unpack_samples(SHARED, tmp_path).iterdir())
    shown = report(one, engine=engine)
    assert found(shown) == []
    assert shown.coverage.records == RecordsReport(decoded=428, control=14, unknown=0, uncommitted=0)
    shown = report(other, engine=engine)
    suspicious = {"KR522": 3, "KR546": 2, "KR551": 2}
    assert Counter(each[:2] for each in found(shown)) == {(code, "suspicious"): n for code, n in suspicious.items()}
    assert shown.rules["KR504"].held == 56


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
