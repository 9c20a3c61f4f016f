"""Output of a command, and its verdict if the output fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.replacing import replacing

from tests.recordings import FAILOVER

AUDIT = ["audit", "--engine", "python", str(FAILOVER)]
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def process(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "isrproof.checker", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload,no-any-return]


@needs_full
@pytest.mark.full(every=5)
@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (AUDIT, "illegal"),
        ([*AUDIT, "--json"], "illegal"),
        (["audit", "--json", "no-such-file.log"], "none, an error"),
        (["rules"], None),
        (["explore", "--list"], None),
        (["--help"], None),
        (["audit", "--help"], None),
    ],
)
def test_a_full_disk_is_exit_2_and_one_line_with_the_verdict(arguments: list[str], verdict: str | None) -> None:
    with FULL.open("wb") as full:
        run = process(*arguments, stdout=full)
        said = run.communicate()[1].decode()
    assert run.returncode == 2
    assert len(said.splitlines()) == 1
    assert "No space left on device" in said
    if verdict is not None:
        assert f"The verdict: {verdict}." in said


@pytest.mark.full(every=4)
@pytest.mark.parametrize("arguments", [["rules"], AUDIT, ["--help"], ["diagram", "replica"]])
def test_a_closed_pipe_is_exit_2_and_one_line(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = process(*arguments, stdout=writer)
    os.close(writer)
    said = run.communicate()[1].decode()
    assert run.returncode == 2
    assert len(said.splitlines()) == 1
    assert "Broken pipe" in said


@needs_full
@pytest.mark.full(every=2)
@pytest.mark.parametrize("arguments", [["rules"], AUDIT])
def test_nowhere_to_write_at_all_is_exit_2(arguments: list[str]) -> None:
    with FULL.open("wb") as full:
        command = [sys.executable, "-m", "isrproof.checker", *arguments]
        assert subprocess.run(command, stdout=full, stderr=full, check=False).returncode == 2


def test_json_is_utf_8_whatever_the_terminals_language_is() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "isrproof.checker", *AUDIT, "--json"]
    shown = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert json.loads(shown.stdout.decode("utf-8"))["verdict"] == "illegal"


def test_files_have_the_rights_that_the_umask_leaves(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("numpy")
    before = os.umask(0o027)
    try:
        for arguments in (
            [*AUDIT, "--timeline", "--out", str(tmp_path / "audit")],
            ["diagram", "replica", "--out", str(tmp_path / "replica.mmd")],
            ["explore", "kip101", "--export", "tla", "--out", str(tmp_path / "tla")],
        ):
            assert CliRunner().invoke(main, arguments).exit_code in (0, 1), arguments
    finally:
        os.umask(before)
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in made} >= {".json", ".parquet", ".mmd", ".tla"}
    assert {path.stat().st_mode & 0o777 for path in made} == {0o640}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir() if path.is_dir()} == {0o750}


def test_nobody_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text("whole")

    def half() -> None:
        with replacing(path) as fresh:
            fresh.write_text("ha")
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        half()
    assert [each.name for each in tmp_path.iterdir()] == ["report"]
    assert path.read_text() == "whole"


def test_out_that_cannot_be_written_is_said_before_anything_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "file").touch()
    for out in (tmp_path / "file" / "below", Path("/proc/isrproof")):
        shown = CliRunner().invoke(main, [*AUDIT, "--out", str(out)])
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert shown.stderr.startswith("Error: ")
        assert str(out) in shown.stderr
        assert len(shown.stderr.splitlines()) == 1


def test_a_report_is_not_put_where_nobody_looks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders above it are not made, and the name of a file is none of a folder: both are said first."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("isrproof.checker.audit.command.auditing", lambda *_: pytest.fail("it was read"))
    for option, name, said in (
        ("--out", "no/such/out", "no/such does not exist"),
        ("--html", "no/such/page.html", "no/such does not exist"),
        ("--out", "x.json", "--json-out "),
    ):
        shown = CliRunner().invoke(main, [*AUDIT, option, str(tmp_path / name)])
        assert (shown.exit_code, shown.stdout) == (2, "")
        assert said in shown.stderr
        assert len(shown.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_out_that_fails_later_loses_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("isrproof.checker.audit.report.parquet.write_out", full)
    arguments = [*AUDIT, "--out", str(tmp_path / "out")]
    shown = CliRunner().invoke(main, arguments)
    assert shown.exit_code == 2
    assert "illegal (exit 1): 2 illegal" in shown.stdout
    assert "No space left on device" in shown.stderr
    said = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert list(said) == ["verdict", "error", "judged"]
    assert said["verdict"] == "error"
    assert said["judged"]["verdict"] == "illegal"


ODD = os.fsdecode(b"caf\xe9-state-change.log")


@pytest.mark.full
def test_a_file_name_that_is_not_utf_8_is_shown_and_written(tmp_path: Path) -> None:
    log = (FAILOVER / "broker-4" / "state-change.log").read_bytes()
    try:
        (tmp_path / ODD).write_bytes(log)
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    arguments = ["audit", "--engine", "python", str(tmp_path)]
    command = [sys.executable, "-m", "isrproof.checker", *arguments, "--each", "--json"]
    shown = subprocess.run(command, capture_output=True, check=False)
    assert shown.returncode == 1
    (cluster,) = json.loads(shown.stdout.decode("utf-8"))["clusters"]
    assert {finding["file"] for finding in cluster["findings"]} == {str(tmp_path / "caf\\xe9-state-change.log")}
    assert all(finding["excerpt"] for finding in cluster["findings"])
    text = subprocess.run(command[:-2], capture_output=True, check=False)
    assert text.returncode == 1
    assert b"caf\\xe9-state-change.log:33" in text.stdout
    missing = subprocess.run([*command, str(tmp_path / f"no-{ODD}")], capture_output=True, check=False)
    assert "caf\\xe9" in json.loads(missing.stdout.decode("utf-8"))["error"]


def test_a_file_name_that_is_not_utf_8_goes_into_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    log = (FAILOVER / "broker-4" / "state-change.log").read_bytes()
    try:
        (tmp_path / ODD).write_bytes(log)
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    out = tmp_path / "out"
    arguments = ["audit", "--engine", "python", str(tmp_path / ODD), "--timeline", "--out", str(out)]
    assert CliRunner().invoke(main, arguments).exit_code == 1
    files = parquet.read_table(out / "findings.parquet")["file"].to_pylist()
    assert set(files) == {str(tmp_path / "caf\\xe9-state-change.log")}


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """Root could put a file in the place of /dev/null, for all programs of the machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with replacing(pipe) as path:
            path.write_bytes(b"written")
        assert os.read(reader, 100) == b"written"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
