"""`isrproof records`: one object per record, narrowed by options; broken parts are reported on stderr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from isrproof.checker.cli import main
from isrproof.traces.metadata.writer import batch

LEADER = ("LEADER_CHANGE", 0, {"version": 0, "leaderId": 1, "voters": [{"voterId": 1}], "grantingVoters": []})
ONE, TWO = "oneAAAAAAAAAAAAAAAAAAA", "twoAAAAAAAAAAAAAAAAAAA"
CHANGE = ("PARTITION_CHANGE_RECORD", 1, {"partitionId": 0, "topicId": ONE, "isr": [1], "directories": [TWO]})


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "00000000000000000000.log"
    config = {"resourceType": 2, "resourceName": "one", "name": "min.insync.replicas", "value": "2"}
    file.write_bytes(
        batch([LEADER], 0, 1, 1000, control=True)
        + batch([("TOPIC_RECORD", 0, {"name": n, "topicId": i}) for n, i in (("one", ONE), ("two", TWO))], 1, 1, 2000)
        + batch([CHANGE, ("CONFIG_RECORD", 0, config), ("NO_OP_RECORD", 0, {})], 3, 1, 3000)
        + batch([("PARTITION_CHANGE_RECORD", 0, {"partitionId": 1, "topicId": TWO, "leader": -1})], 6, 2, 4000)
    )
    return file


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["records", *map(str, args)])


def offsets(result: Result) -> list[int]:
    return [json.loads(line)["offset"] for line in result.stdout.splitlines()]


def test_each_record_is_one_object(log: Path) -> None:
    found = [json.loads(line) for line in run(log.parent).stdout.splitlines()]
    assert found[3] == {
        "file": str(log),
        "offset": 3,
        "epoch": 1,
        "timestamp": 3000,
        "batch": 3,
        "type": "PARTITION_CHANGE_RECORD",
        "version": 1,
        "data": CHANGE[2],
    }
    assert [row["offset"] for row in found] == list(range(7))
    assert found[0]["data"] == LEADER[2]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--type", "no_op"], [5]),
        (["--type", "TOPIC_RECORD", "--type", "leader_change"], [0, 1, 2]),
        (["--topic", "one"], [1, 3, 4]),
        (["--topic", TWO], [2, 6]),
        (["--partition", 0], [3]),
        (["--since-offset", 5], [5, 6]),
        (["--topic", "none"], []),
    ],
)
def test_records_are_narrowed(log: Path, options: list[object], expected: list[int]) -> None:
    result = run(log, *options)
    assert (offsets(result), result.exit_code) == (expected, 0)


def test_a_table_has_one_line_a_record(log: Path) -> None:
    rows = run(log, "--format", "table").stdout.splitlines()
    assert len(rows) == 7
    assert rows[6].split()[:5] == ["6", "2", "1970-01-01", "00:00:04.000", "PARTITION_CHANGE_RECORD"]


def test_a_segment_of_any_name_is_read(log: Path) -> None:
    other = log.rename(log.with_name("segment"))
    assert offsets(run(other)) == list(range(7))


def test_what_is_broken_is_told(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-1])
    result = run(log)
    assert (offsets(result), result.exit_code) == (list(range(6)), 3)
    assert "the last batch is cut off" in result.stderr


def test_a_file_without_anything_readable_is_misuse(log: Path) -> None:
    log.write_bytes(b"\x00" * 8 + b"\x7f" * 200)
    result = run(log)
    assert (result.stdout, result.exit_code) == ("", 2)
    assert "got a length of" in result.stderr


@pytest.mark.parametrize("options", [["--type", "NOP"], ["--format", "xml"]])
def test_misuse_is_exit_code_2(log: Path, options: list[str]) -> None:
    assert run(log, *options).exit_code == 2


def test_a_folder_without_a_metadata_log_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text("[2026-01-01 00:00:00,000] INFO x (y)\n")
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "expected the metadata log of KRaft" in result.stderr
    assert run(tmp_path / "gone").exit_code == 2
