"""Arguments that no command can use are misuse, said in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from isrproof.checker.cli import main

from tests.recordings import FAILOVER

LOG = str(FAILOVER)


def run(*arguments: str) -> Result:
    found = CliRunner().invoke(main, arguments)
    assert "defect of isrproof" not in found.output
    assert "Traceback" not in found.output
    return found


@pytest.mark.parametrize("number", ["²", "٣", "9" * 6000, str(1 << 31), "1_0", "-", ""])
def test_a_partition_has_a_number_of_kafkas(number: str) -> None:
    found = run("audit", LOG, "--partition", f"t-{number}")
    assert found.exit_code == 2
    assert "expected a topic, a dash and a number" in found.output
    assert len(found.output) < 300


@pytest.mark.parametrize("option", ["--timeout", "--total", "--search"])
@pytest.mark.parametrize("limit", ["nan", "inf", "1e400", "-inf", "-1", "1e9"])
def test_a_limit_in_seconds_is_a_number(option: str, limit: str) -> None:
    found = run("prove", "replica", option, limit)
    assert found.exit_code == 2
    assert f"Invalid value for '{option}'" in found.output


def test_a_limit_of_another_command_is_one_too() -> None:
    assert run("explore", "kip279", "--max-seconds", "nan").exit_code == 2


@pytest.mark.parametrize("option", ["--html", "--out", "--baseline"])
def test_an_empty_path_is_not_the_current_folder(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("audit", LOG, option, "").exit_code == 2
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--html", "--baseline"])
def test_a_fifo_is_not_waited_for(option: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert run("audit", LOG, option, str(tmp_path / "fifo")).exit_code == 2


def test_a_fifo_in_the_folder_of_a_report_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "findings.parquet")
    assert run("audit", LOG, "--out", str(tmp_path)).exit_code == 2


def test_a_pipe_of_this_process_is_read_once(tmp_path: Path) -> None:
    """As bash passes it for <(...)."""
    read, write = os.pipe()
    os.write(write, b'{"findings": []}')
    os.close(write)
    found = run("audit", LOG, "--engine", "python", "--baseline", f"/proc/self/fd/{read}")
    os.close(read)
    assert found.exit_code == 1
    assert "left out" in found.output


@pytest.mark.parametrize("command", [("audit", LOG, "--baseline"), ("compare", LOG)])
def test_deep_json_is_no_report(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 200_000)
    assert run(*command, str(tmp_path / "deep.json")).exit_code == 2


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("closed", "code"), [((0,), 2), ((0, 2), 2), ((1,), 2), ((0, 1, 2), 2)])
def test_closed_streams_are_no_defect(closed: tuple[int, ...], code: int) -> None:
    command = [sys.executable, "-m", "isrproof.checker", "audit", "--engine", "python", "-"]

    def close() -> None:
        for each in closed:
            os.close(each)

    found = subprocess.run(command, capture_output=True, preexec_fn=close, stdin=subprocess.DEVNULL, check=False)
    assert found.returncode == code
    assert b"defect of isrproof" not in found.stdout + found.stderr


@pytest.mark.full
@pytest.mark.parametrize("closed", [0, 2])
def test_an_audit_needs_no_stream_but_stdout(closed: int) -> None:
    command = [sys.executable, "-m", "isrproof.checker", "audit", "--engine", "python", LOG]
    found = subprocess.run(command, capture_output=True, preexec_fn=lambda: os.close(closed), check=False)
    assert found.returncode == 1
    assert found.stdout.startswith(b"illegal")


def test_a_level_is_one_that_log4j_has() -> None:
    found = run("validate", "cluster", LOG, "--level", "inf")
    assert found.exit_code == 2
    assert "unknown level 'INF'. Did you mean 'INFO'?" in found.output.replace("Unknown", "unknown")
