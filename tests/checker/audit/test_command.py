"""The command as a user meets it: exit codes, messages, outputs."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.commands.audit import command

RECORDED = Path(__file__).parents[3] / "traces" / "recorded"
FAILOVER = RECORDED / "failover-on-leader-2.0.0-kill"
LOG = FAILOVER / "broker-4" / "state-change.log"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, ["--engine", "python", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_illegal_is_exit_1_and_names_the_line() -> None:
    code, out, _ = run(str(FAILOVER))
    assert code == 1
    assert "KR401 dead-leader-after-failover; KAFKA-3143, fixed in 2.3.0" in out
    assert "broker-4/state-change.log:33" in out


def test_conforming_is_exit_0() -> None:
    assert run(str(RECORDED / "failover-elsewhere-2.0.0-kill"))[0] == 0


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("binary.log", b"\0\1\2" * 100, "binary"),
        ("zipped.log", b"PK\3\4" + b"\0" * 100, "a zip archive"),
        ("hole.log", b"\0" * 9_000, "nothing but NUL"),
        ("empty.log", b"", "found none in 0 lines"),
        ("other.log", b"hello\nworld\n", "found none in 2 lines"),
    ],
)
def test_what_cannot_be_read_is_exit_2_with_one_message(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    code, out, err = run(str(tmp_path / name))
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such-file.log"], "no such file"),
        (["--release", "2.99", str(LOG)], "Did you mean"),
        (["--partition", "orders", str(LOG)], "orders-0"),
        (["--since", "yesterday", str(LOG)], "as the log prints it"),
        (["--layout", "%q", str(LOG)], "%m"),
        (["--master", "local", "--remote", "sc://here", str(LOG)], "two places"),
    ],
)
def test_misuse_is_exit_2(arguments: list[str], says: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_a_cut_gzip_is_incomplete_and_loses_nothing_before_the_cut(tmp_path: Path) -> None:
    whole = gzip.compress(LOG.read_bytes())
    (tmp_path / "state-change.log.gz").write_bytes(whole[: len(whole) * 3 // 4])
    code, out, _ = run(str(tmp_path))
    assert code == 3
    assert "incomplete" in out
    assert "cut or broken" in out
    assert "understood" in out


def test_one_unreadable_file_does_not_hide_the_findings_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\0" * 10)
    assert run(str(tmp_path / "a.log"), str(FAILOVER))[0] == 1


def test_fail_on_makes_weaker_findings_count() -> None:
    suspicious = str(RECORDED / "reassign-2.3.1")
    assert run(suspicious)[0] == 0
    assert run("--fail-on", "suspicious", suspicious)[0] == 1


def test_json_is_one_object_with_the_promised_keys() -> None:
    code, out, _ = run("--json", "--timeline", str(FAILOVER))
    report = json.loads(out)
    assert code == 1
    assert {"verdict", "findings", "rules", "coverage", "files", "lives", "releases", "timeline"} <= set(report)
    assert {"understood", "irrelevant", "continuation", "unknown", "top_unknown"} <= set(report["coverage"])
    (first, _) = report["findings"]
    assert first["issue"] == ["KAFKA-3143", "KAFKA-8152", "KAFKA-3096"]
    assert (first["rule"], first["line"], first["known_issue"], first["fixed_in"]) == (
        "KR401",
        33,
        "KAFKA-3143",
        "2.3.0",
    )
    assert first["entity"] == {"kind": "partition", "topic": "t", "partition": 1, "replica": None, "broker": None}
    assert first["excerpt"].endswith("(state.change.logger)")
    row = report["timeline"][0]
    assert {"topic", "partition", "leader", "isr", "leader_epoch", "controller_epoch", "partition_epoch"} < set(row)


def test_each_gives_a_cluster_for_every_path() -> None:
    code, out, _ = run("--json", "--each", str(FAILOVER), str(RECORDED / "failover-elsewhere-2.0.0-kill"))
    assert [cluster["verdict"] for cluster in json.loads(out)["clusters"]] == ["illegal", "conforms"]
    assert code == 1


def test_narrowing_by_partition_and_time() -> None:
    assert json.loads(run("--json", "--partition", "t-0", str(FAILOVER))[1])["findings"][0]["entity"]["partition"] == 0
    assert json.loads(run("--json", "--partition", "t-7", str(FAILOVER))[1])["findings"] == []
    assert json.loads(run("--json", "--until", "2026-11-21 00:00:00", str(FAILOVER))[1])["findings"] == []


def test_out_writes_json_and_parquet_for_others_to_read(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("--timeline", "--out", str(tmp_path / "out"), str(FAILOVER))
    assert json.loads((tmp_path / "out" / "audit.json").read_text())["verdict"] == "illegal"
    assert parquet.read_table(tmp_path / "out" / "findings.parquet").num_rows == 2
    assert parquet.read_table(tmp_path / "out" / "timeline.parquet").num_rows > 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "audit.json",
        "findings.parquet",
        "timeline.parquet",
    ]


def test_out_without_pyarrow_is_exit_2_before_anything_is_read_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("isrproof.checker.audit.command.audit", lambda *_: pytest.fail("it was read"))
    code, out, err = run("--out", str(tmp_path / "out"), str(FAILOVER))
    assert (code, out) == (2, "")
    assert "pip install 'isrproof[audit]'" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_terminal_gets_no_control_characters_from_a_log(tmp_path: Path) -> None:
    (tmp_path / "state-change.log").write_text(
        LOG.read_text() + "[2026-11-21 20:24:36,000] INFO \x1b[31mred (state.change.logger)\n"
    )
    assert "\x1b" not in run(str(tmp_path))[1]


def test_same_input_same_bytes() -> None:
    assert run("--json", str(FAILOVER)) == run("--json", str(FAILOVER))
