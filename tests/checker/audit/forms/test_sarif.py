"""SARIF: its schema accepts each report, and fingerprints stay."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.report.forms import AuditRun, write

from tests.recordings import CHAOS, FAILOVER, RECORDED
from tests.reports import form, made

CLEAN = RECORDED / "lifecycle-2.0.0"


@pytest.fixture(scope="module")
def sarif_schema() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(__file__).parents[1] / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator(schema, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)


def sarif(path: Path) -> dict[str, Any]:
    (run,) = json.loads(form("sarif", path))["runs"]
    return dict(run)


@pytest.mark.parametrize("path", [CHAOS, CLEAN, FAILOVER], ids=["illegal", "conforms", "failover"])
def test_sarif_is_what_its_schema_says(sarif_schema: Any, path: Path) -> None:
    assert list(sarif_schema.iter_errors(json.loads(form("sarif", path)))) == []


def test_hostile_sarif_is_what_its_schema_says(sarif_schema: Any, hostile: AuditRun) -> None:
    assert list(sarif_schema.iter_errors(json.loads(write("sarif", hostile)))) == []


def test_the_schema_refuses_something(sarif_schema: Any) -> None:
    assert list(sarif_schema.iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


def test_sarif_has_every_finding_with_its_rule_and_line() -> None:
    run = sarif(CHAOS)
    report = made(CHAOS)
    codes = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    got = [
        (
            codes[each["ruleIndex"]],
            each["properties"]["verdict"],
            each["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for each in of_rules(run)
    ]
    assert sorted(got) == sorted((each.rule, each.verdict, each.line) for each in report.findings)
    assert all((each["level"] != "none") == (each["kind"] == "fail") for each in run["results"])
    assert run["results"][0]["level"] == "error"


def test_fingerprints_survive_rotation(tmp_path: Path) -> None:
    """The same lines, in files of other names, cut at another place."""
    moved = tmp_path / "elsewhere"
    shutil.copytree(FAILOVER, moved)
    log = moved / "broker-4" / "state-change.log"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    (moved / "broker-4" / "state-change.log.1").write_text("".join(lines[:20]))
    log.write_text("".join(lines[20:]))
    before, after = ({mark(each) for each in of_rules(sarif(path))} for path in (FAILOVER, moved))
    assert before == after
    assert len(before) == 2


def of_rules(run: Mapping[str, Any]) -> list[Any]:
    """The results that are findings; the others are trouble for the cluster."""
    return [each for each in run["results"] if each["kind"] != "review" or "partialFingerprints" in each]


def mark(result: Mapping[str, Any]) -> str:
    return str(result["partialFingerprints"]["primaryLocationLineHash"])


def test_fingerprints_tell_findings_apart() -> None:
    marks = [mark(each) for each in of_rules(sarif(CHAOS))]
    assert len(set(marks)) == len(marks) == 24


def test_more_results_than_github_keeps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrproof.checker.audit.report.sarif.MOST", 2)
    run = sarif(CHAOS)
    assert [each["properties"]["verdict"] for each in of_rules(run)] == ["illegal", "illegal"]
    notes = [each["message"]["text"] for each in run["invocations"][0]["toolExecutionNotifications"]]
    assert "22 findings beyond the limit of 2 are left out here" in notes
