"""Every subcommand fails in one shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

CHECKER = Path(__file__).parents[2] / "checker"
RECORDING = Path(__file__).parents[2] / "traces" / "recorded" / "lifecycle-2.0.0"
LOG = RECORDING.parent / "failover-elsewhere-2.0.0-kill" / "broker-2" / "controller.log"
FAILURES = {
    "audit": ["audit", "--engine", "python", "no-such-file.log"],
    "audit, nowhere to write": ["audit", "--engine", "python", str(RECORDING), "--out", "/dev/null/x"],
    "audit, misuse": ["audit", "--engine", "none", "x.log"],
    "compare": ["compare", str(RECORDING), str(RECORDING / "manifest.json")],
    "explore": ["explore", "kip302"],
    "prove": ["prove", "kip302"],
    "record": ["record", "nothing", "--kafka", "2.0.0", "--out", "/dev/null/x"],
    "rules": ["rules", "KR999"],
    "simulate": ["simulate", "kip302"],
    "validate": ["validate", "cluster", "/dev/null/x"],
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


COMMANDS = {
    "audit": (["audit", "--engine", "python", str(RECORDING)], "isrproof.checker.audit.command.audit_command"),
    "compare": (["compare", str(RECORDING), "-"], "isrproof.traces.record.manifest.read"),
    "demo": (["demo", "--html", "/dev/null"], "isrproof.checker.audit.command.audit_command"),
    "diagram": (["diagram", "replica"], "isrproof.checker.diagram.drawing.draw"),
    "events": (["events", str(RECORDING), "--out", "/dev/null"], "isrproof.checker.audit.stored.writing.write_events"),
    "explore": (["explore", "kip101"], "isrproof.checker.explore.run.explore_instance"),
    "formats": (["formats", str(RECORDING)], "isrproof.checker.formats.detected"),
    "prove": (["prove", "kip101"], "isrproof.checker.prove.run.prove"),
    "record": (["record", "chaos", "--kafka", "2.0.0", "--out", "/dev/null/x"], "isrproof.traces.record.run.record"),
    "records": (["records", str(RECORDING)], "isrproof.traces.metadata.files.must_be_found"),
    "rules": (["rules"], "isrproof.checker.audit.rules.pages.listing"),
    "sequence": (["sequence", str(RECORDING)], "isrproof.checker.conformance.read.read"),
    "simulate": (["simulate", "cluster"], "isrproof.checker.conformance.simulate.random_run"),
    "whatif": (["whatif", str(RECORDING), "--fail", "1"], "isrproof.checker.whatif.ask.ask"),
    "why": (["why", str(RECORDING), "--quorum"], "isrproof.checker.audit.why.answer.why"),
    "validate": (["validate", "cluster", str(RECORDING)], "isrproof.checker.conformance.read.read"),
}


def test_every_subcommand_is_tried() -> None:
    assert sorted(COMMANDS) == sorted(main.list_commands(None))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", COMMANDS)
def test_what_nobody_expected_is_one_line_and_exit_2(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 is a verdict."""
    arguments, function = COMMANDS[name]

    def breaks(*_: object, **__: object) -> None:
        raise KeyError("OnlinaReplica")

    monkeypatch.setattr(function, breaks)
    shown = CliRunner().invoke(main, arguments)
    assert shown.exit_code == 2
    assert shown.stdout == ""
    assert "KeyError: 'OnlinaReplica' at test_failure.py:" in shown.stderr
    assert len(shown.stderr.splitlines()) == 1
    monkeypatch.setenv("ISRPROOF_DEBUG", "1")
    shown = CliRunner().invoke(main, arguments)
    assert shown.exit_code == 2
    assert "Traceback" in shown.stderr
    if any("--json" in option.opts for option in main.get_command(None, name).params):  # type: ignore[arg-type,union-attr]
        said = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
        assert list(said) == ["verdict", "error"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["prove", "nope"], ("kip320", "replica", "partition", "FILE.py:NAME")),
        (["explore", "nope"], ("kip320", "replica", "partition", "FILE.py:NAME")),
        (["explore", "lock.py"], ("FILE.py:NAME", "lock.py:MODEL")),
        (["prove", "lock.py"], ("FILE.py:NAME", "lock.py:MODEL")),
        (["audit", "--engine", "python", "--master", "local", str(RECORDING)], ("--master", "omit --engine python")),
        (["audit", "--engine", "columns", "--remote", "sc://x", str(RECORDING)], ("--remote", "omit --engine col")),
        (["audit", "--layout", "%d - %m", str(LOG)], ("'%d - %m'", "omit --layout")),
        (["audit", str(CHECKER / "cli.py")], ("give that by --layout",)),
        (["diagram", "replica", "--out", "x.png"], (".png", ".svg")),
    ],
)
def test_misuse_is_told_with_what_to_do(arguments: list[str], says: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(main, arguments)
    assert (shown.exit_code, shown.stdout) == (2, "")
    for text in says:
        assert text in shown.stderr


def test_help_says_what_a_conversion_that_is_not_understood_stands_for() -> None:
    shown = " ".join(CliRunner().invoke(main, ["audit", "--help"]).stdout.split())
    assert "such as %x, stands for a text without a space" in shown
    readme = (CHECKER.parent / "README.md").read_text(encoding="utf-8")
    assert "such as `%x`, stands for any text without a space" in " ".join(readme.split())
