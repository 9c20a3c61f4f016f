"""Findings of a baseline are left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.report.model import VERDICTS
from isrproof.checker.commands.audit import command

from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import form

CLEAN = RECORDED / "lifecycle-2.0.0"


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["json", "sarif"])
def test_findings_of_a_baseline_are_not_told_again(tmp_path: Path, name: str) -> None:
    baseline = tmp_path / "baseline"
    baseline.write_text(form(name, CHAOS))
    arguments = ["--engine", "python", "--json", "--baseline", str(baseline)]
    known = CliRunner().invoke(command, [*arguments, str(CHAOS)])
    report = json.loads(known.stdout)
    assert (known.exit_code, report["verdict"], report["findings"]) == (0, "conforms", [])
    assert report["counts"] == dict.fromkeys(VERDICTS, 0)
    assert any("24 findings of the baseline" in note for note in report["notes"])
    other = CliRunner().invoke(command, [*arguments, str(FAILOVER)])
    assert (other.exit_code, len(json.loads(other.stdout)["findings"])) == (1, 2)


@pytest.mark.parametrize("content", ["no json", "[]", "{}", '{"findings": [{}]}', '{"runs": [{}]}'])
def test_what_is_no_baseline_is_told_in_one_message(tmp_path: Path, content: str) -> None:
    baseline = tmp_path / "baseline"
    baseline.write_text(content)
    result = CliRunner().invoke(command, ["--engine", "python", "--baseline", str(baseline), str(CLEAN)])
    assert result.exit_code == 2
    assert "expected a report that" in result.stderr
