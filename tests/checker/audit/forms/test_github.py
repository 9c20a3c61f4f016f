"""Annotations and step summaries of GitHub Actions, and reports that one run writes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.report.forms import AuditRun, write
from isrproof.checker.ci.summary import cut
from isrproof.checker.commands.audit import command

from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import form

CLEAN = RECORDED / "lifecycle-2.0.0"


def test_annotations_are_one_line_each_whatever_the_log_holds(hostile: AuditRun) -> None:
    lines = write("github", hostile).splitlines()
    assert "file=" in lines[0]
    assert ",line=" in lines[0]
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) ([a-z]+=[^,:]*,?)+::.*", line), line


def test_the_severest_annotations_come_first() -> None:
    kinds = [line[2:].split()[0] for line in form("github", CHAOS).splitlines() if "::troubled: " not in line]
    assert kinds == sorted(kinds, key=["error", "warning", "notice"].index)


def test_a_conforming_log_gets_one_notice() -> None:
    line = form("github", CLEAN).splitlines()[-1]
    assert line.startswith("::notice title=isrproof audit::conforms.")


def test_a_step_summary_is_written_where_github_wants_it(tmp_path: Path) -> None:
    where = tmp_path / "summary.md"
    where.write_text("before\n")
    arguments = ["--engine", "python", "--format", "github", str(FAILOVER)]
    CliRunner().invoke(command, arguments, env={"GITHUB_STEP_SUMMARY": str(where)})
    assert where.read_text().startswith("before\n## isrproof audit")


def test_a_step_summary_is_never_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.ci.summary._LONGEST", 500)
    assert len(cut(form("markdown", CHAOS)).encode()) < 600
    assert cut("short") == "short"


def test_one_run_writes_every_form(tmp_path: Path) -> None:
    pytest.importorskip("junitparser")
    files = {"--html": "a.html", "--sarif": "a.sarif", "--junit": "a.xml", "--json-out": "a.json"}
    asked = [part for option, name in files.items() for part in (option, str(tmp_path / name))]
    done = CliRunner().invoke(command, ["--engine", "python", "--format", "github", *asked, str(FAILOVER)])
    assert done.exit_code == 1, done.output
    assert "::error " in done.stdout
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads((tmp_path / "a.json").read_text())["verdict"] == "illegal"
    codes = {
        rule["id"]: rule["helpUri"]
        for rule in json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
    }
    assert codes["KR401"] == "https://issues.apache.org/jira/browse/KAFKA-3143"
    document = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert float(document.get("time", "0")) > 0
    assert document[0].get("time") == document.get("time")
    assert all(case.get("time") is None for case in document[0])


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--sarif", "logs/state-change.log"), "--sarif logs/state-change.log: expected the name of another file"),
        (("--junit", "nowhere/a.xml"), "nowhere does not exist"),
        (("--json-out", "logs"), "is a directory"),
        (("--json-out", "a", "--html", "a"), "expected another file than that of --html"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_audit(
    asked: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrproof.checker.audit.command.auditing", None)
    shutil.copytree(FAILOVER / "broker-4", tmp_path / "logs")
    done = CliRunner().invoke(command, ["logs", *asked])
    assert (done.exit_code, says in done.output) == (2, True), done.output


@pytest.mark.parametrize(
    ("asked", "needs"),
    [
        ("--html a.html", "--html needs jinja2"),
        ("--format html", "--format html needs jinja2"),
        ("--junit a", "--junit needs junitparser"),
    ],
)
def test_a_missing_library_is_told_before_the_audit(
    asked: str, needs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrproof.checker.audit.command.auditing", None)
    monkeypatch.setattr("isrproof.checker.packages.find_spec", lambda name: None)
    done = CliRunner().invoke(command, [str(FAILOVER), *asked.split()])
    assert done.exit_code == 2
    assert f"Error: {needs}: pip install 'isrproof[reports]'" in done.output
