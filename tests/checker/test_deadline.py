"""A command stops when its time is over: it decides nothing, and leaves neither processes nor files."""

from __future__ import annotations

import json
import multiprocessing
import signal
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.deadline import TimeIsUp, within

from tests.recordings import CHAOS

LEAST = ["--max-seconds", "0.01"]


def test_a_block_ends_when_its_time_is_over() -> None:
    with pytest.raises(TimeIsUp, match="--max-seconds"), within(0.01):
        time.sleep(10)


def test_a_block_that_ends_in_time_is_not_disturbed() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with within(0.05), within(None):
        pass
    time.sleep(0.06)
    assert signal.getsignal(signal.SIGALRM) == before


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_an_audit_that_is_stopped_is_incomplete(engine: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    found = CliRunner().invoke(main, ["audit", str(CHAOS), "--engine", engine, "--json", "--html", str(out), *LEAST])
    assert found.exit_code == 3
    shown = json.loads(found.stdout)
    assert shown["verdict"] == "incomplete"
    assert len(shown["notes"]) == 1
    assert "stopped after 0.01 seconds" in found.stderr
    assert not any(tmp_path.iterdir())
    assert multiprocessing.active_children() == []


def test_validate_that_is_stopped_is_unknown() -> None:
    found = CliRunner().invoke(main, ["validate", "cluster", str(CHAOS), *LEAST])
    assert found.exit_code == 3
    assert "unknown" in found.stdout
