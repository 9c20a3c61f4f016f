"""A command stops when its time is over: it decides nothing, and leaves neither processes nor files."""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker import memory
from isrproof.checker.cli import main
from isrproof.checker.deadline import MemoryIsFull, TimeIsUp, within

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


class Slow:
    """An object whose finalizer takes longer than the block may."""

    def __del__(self) -> None:
        time.sleep(0.2)


@pytest.mark.parametrize("megabytes", [None, 1])
def test_an_interrupt_that_a_finalizer_swallows_comes_again(megabytes: int | None) -> None:
    def block() -> None:
        Slow()
        time.sleep(10)

    before = sys.unraisablehook
    with pytest.raises((TimeIsUp, MemoryIsFull)), within(0.05, megabytes):
        block()
    assert sys.unraisablehook is before


def test_a_block_ends_when_it_takes_too_much_memory() -> None:
    held: list[bytes] = []

    def grow() -> None:
        while True:
            held.append(b"x" * (10 << 20))
            time.sleep(0.1)

    with pytest.raises(MemoryIsFull, match="--max-memory"), within(20, memory.used_mb() + 50):
        grow()
    assert held.pop()
    held.clear()
    with within(20, memory.used_mb() + 200):
        time.sleep(0.6)
    with pytest.raises(TimeIsUp), within(0.7, memory.used_mb() + 200):
        time.sleep(10)


def test_validate_that_takes_too_much_memory_is_unknown() -> None:
    found = CliRunner().invoke(main, ["validate", "cluster", str(CHAOS), "--json", "--max-memory", "1"])
    shown = json.loads(found.stdout)
    assert (found.exit_code, shown["verdict"]) == (3, "unknown")
    assert shown["reason"].startswith("stopped at 1 MB (--max-memory); ")


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
