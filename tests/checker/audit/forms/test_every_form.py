"""Every form of a report, and what all of them promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.report.forms import FORMS, AuditRun, write
from isrproof.checker.commands.audit import command

from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import form, made

CLEAN = RECORDED / "lifecycle-2.0.0"
SOUND = RECORDED / "failover-elsewhere-2.0.0-kill"


def test_every_form_is_a_module_and_a_choice_of_the_command() -> None:
    folder = Path(__file__).parents[4] / "checker" / "audit" / "report"
    writers = {
        path.stem for path in folder.glob("*.py") if re.search(r"^def write\(run: AuditRun\)", path.read_text(), re.M)
    }
    assert set(FORMS) == writers
    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert all(f"{name}: {each.says}" in shown for name, each in FORMS.items())


@pytest.mark.full(every=20)
@pytest.mark.parametrize("name", sorted(set(FORMS) - {"ndjson"}))
@pytest.mark.parametrize("path", [CHAOS, pytest.param(CLEAN, marks=pytest.mark.slow)], ids=["illegal", "conforms"])
def test_the_same_input_gives_the_same_bytes(name: str, path: Path) -> None:
    assert form(name, path) == form(name, path) != ""


@pytest.mark.full
def test_every_form_takes_several_clusters() -> None:
    run = AuditRun([str(CHAOS), str(CLEAN)], [made(CHAOS), made(CLEAN)], each=True)
    for name in FORMS:
        assert "lifecycle-2.0.0" in write(name, run), name


@pytest.mark.full
def test_the_exit_code_does_not_depend_on_the_form() -> None:
    for name, each in FORMS.items():
        arguments = ["--engine", "columns", *(["--partition", "t-1"] if each.partition else []), "--format", name]
        assert CliRunner().invoke(command, [*arguments, str(SOUND)]).exit_code == 0, name
        assert CliRunner().invoke(command, [*arguments, str(FAILOVER)]).exit_code == 1, name


@pytest.mark.parametrize("name", sorted(set(FORMS) - {"ndjson", "shiviz"}))
def test_findings_of_a_metadata_log_are_in_every_form(name: str) -> None:
    assert "KR525" in form(name, RECORDED.parent / "recorded-kraft" / "chaos-3.5.2")
