"""Tests for the tests of others: a log conforms, a model holds, log lines are as Kafka prints them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.options import Options
from isrproof.checker.testing import audit_conforms, model_holds
from isrproof.checker.testing.strategies import damaged, log_lines
from isrproof.specs.errors import IsrproofError
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

from tests.recordings import RECORDED

SOUND, FAILOVER = RECORDED / "failover-elsewhere-2.0.0-kill", RECORDED / "failover-on-leader-2.0.0-kill"
EXAMPLE = Path(__file__).parents[3] / "docs" / "testing.md"


def test_a_log_that_conforms_gives_its_report() -> None:
    assert audit_conforms(SOUND, engine="columns").verdict == "conforms"


def test_a_log_that_does_not_conform_fails_with_the_report() -> None:
    with pytest.raises(AssertionError, match="KR401 dead-leader-after-failover") as failure:
        audit_conforms(FAILOVER, engine="columns")
    assert "broker-4/state-change.log:33" in str(failure.value)


def test_what_is_known_is_no_failure(tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    known.write_text(audit_command([str(FAILOVER)], Options.of(engine="columns"), "json").text)
    assert audit_conforms(FAILOVER, engine="columns", baseline=known).verdict == "conforms"


def test_misuse_is_no_failure_of_the_log(tmp_path: Path) -> None:
    with pytest.raises(IsrproofError, match="no such file"):
        audit_conforms(tmp_path / "none.log")


def test_a_model_that_does_not_hold_fails_with_the_path() -> None:
    pytest.importorskip("numpy")
    assert model_holds("kip320", ["WeakIsr"], replicas=2).verdict == "holds"
    with pytest.raises(AssertionError, match="ControllerElectLeader"):
        model_holds("kip101", ["WeakIsr"], replicas=2)


def test_the_plugin_imports_nothing_heavy() -> None:
    """pytest imports it in every project that has this one installed."""
    script = (
        "import pytest, sys, time; before = set(sys.modules); start = time.perf_counter()\n"
        "import isrproof.checker.testing.plugin\n"
        "print(time.perf_counter() - start); print(*sorted(set(sys.modules) - before))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    _, modules = run.stdout.splitlines()
    assert all(name.split(".")[0] == "isrproof" for name in modules.split()), modules
    assert len(modules.split()) < 10


@pytest.mark.full
@pytest.mark.parametrize(("recording", "outcome"), [(SOUND, "2 passed"), (FAILOVER, "1 failed, 1 passed")])
def test_the_example_of_the_docs_runs(recording: Path, outcome: str, tmp_path: Path) -> None:
    """docs/testing.md: its test, run by pytest with the plugin, passes on one recording and fails on another."""
    text = EXAMPLE.read_text(encoding="utf-8")
    example = text.split("```python\n", 1)[1].split("```", 1)[0]
    test = tmp_path / "test_cluster.py"
    test.write_text(example.replace('"logs"', repr(str(recording))))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", str(test)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert outcome in run.stdout, run.stdout + run.stderr


@given(log_lines("2.0.0", max_size=5))
@settings(max_examples=40)
def test_every_line_is_understood(lines: list[str]) -> None:
    assert all(isinstance(parse_line(line), Event) for line in lines)


@given(damaged(log_lines("2.3.1", max_size=5)))
@settings(max_examples=40)
def test_damage_leaves_lines(lines: list[str]) -> None:
    assert all(isinstance(line, str) for line in lines)


def test_a_release_that_is_none() -> None:
    with pytest.raises(IsrproofError, match=r"2\.99"):
        log_lines("2.99")
