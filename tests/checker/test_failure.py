"""Every subcommand fails in one shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

CHECKER = Path(__file__).parents[2] / "checker"
RECORDING = Path(__file__).parents[2] / "traces" / "recorded" / "lifecycle-2.0.0"
FAILURES = {
    "audit": ["audit", "--engine", "python", "no-such-file.log"],
    "audit, nowhere to write": ["audit", "--engine", "python", str(RECORDING), "--out", "/dev/null/x"],
    "audit, misuse": ["audit", "--engine", "none", "x.log"],
    "compare": ["compare", str(RECORDING), str(RECORDING / "manifest.json")],
    "explore": ["explore", "kip302"],
    "prove": ["prove", "kip302"],
    "record": ["record", "nothing", "--kafka", "2.0.0", "--out", "/dev/null/x"],
    "rules": ["rules", "KR999"],
}


@pytest.mark.parametrize("arguments", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_one_object_or_one_message(arguments: list[str]) -> None:
    shown = CliRunner().invoke(main, [*arguments, "--json"])
    assert shown.exit_code == 2
    assert shown.stderr == ""
    said = json.loads(shown.stdout)
    assert list(said) == ["verdict", "error"]
    assert said["verdict"] == "error"
    told = CliRunner().invoke(main, arguments)
    assert told.exit_code == 2
    assert told.stdout == ""
    assert f"Error: {said['error']}" in told.stderr


def test_the_object_is_made_in_one_place() -> None:
    made = [path.name for path in CHECKER.rglob("*.py") if '"verdict": "error"' in path.read_text(encoding="utf-8")]
    assert made == ["failure.py"]
