"""An error of ours within one rule hides nothing that the others find."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from isrproof.checker.audit.catalogue import observations
from isrproof.checker.audit.observe.observation import Observation
from isrproof.checker.audit.rules.catalogue import rules
from isrproof.checker.cli import main
from isrproof.model.expr import Expr

RECORDING = Path(__file__).parents[3] / "traces" / "recorded" / "failover-on-leader-2.0.0-kill"
KRAFT = RECORDING.parents[1] / "recorded-kraft" / "elr-4.0.0"
Broken = Callable[[], Any]


def fails(*_: object) -> Any:
    raise KeyError("OnlinaReplica")


def audited(*options: str) -> Result:
    return CliRunner().invoke(main, ["audit", "--engine", "python", str(RECORDING), *options])


@pytest.fixture(params=["an observation", "a text"])
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The code of a rule of which something fails; KR401 finds what it finds without it."""
    if request.param == "an observation":
        monkeypatch.setattr(Observation, "of", _of_all_but("refusals", Observation.of))
        yield "KR105"
    else:
        rule = next(rule for rule in rules().values() if rule.code == "KR401")
        monkeypatch.setitem(rules(), "KR401", replace(rule, message=_but_once(rule.message)))
        yield "KR401"


def _of_all_but(name: str, of: Callable[[Observation, Any], Any]) -> Callable[[Observation, Any], Any]:
    return lambda self, table: fails() if self.name == name else of(self, table)


def _but_once(text: Callable[[Any], str]) -> Callable[[Any], str]:
    left = iter([fails])
    return lambda row: next(left, text)(row)


def test_the_other_findings_are_told_and_the_exit_code_is_2(broken: str) -> None:
    told = audited()
    assert told.exit_code == 2
    assert "illegal" in told.stdout
    assert "KR401" in told.stdout
    assert told.stderr.splitlines()[-1].startswith(f"Error: this is a defect of isrproof: {broken}: KeyError: ")
    assert "Traceback" not in told.stderr


def test_the_json_has_what_was_judged(broken: str) -> None:
    said = json.loads(audited("--json").stdout)
    assert said["verdict"] == "error"
    assert broken in said["error"]
    assert said["judged"]["verdict"] == "illegal"
    assert {finding["rule"] for finding in said["judged"]["findings"]} >= {"KR401"}


def test_who_looks_for_it_gets_the_trace(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRPROOF_DEBUG", "1")
    told = audited()
    assert told.exit_code == 2
    assert "Traceback" in told.stderr


def test_a_verdict_that_fails_is_that_of_its_rule_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from isrproof.checker.audit.table.rows import PythonTable

    derive, failing = PythonTable.derive, rules()["KR103"].judgement

    def derived(self: PythonTable, **columns: Expr) -> Any:
        return fails() if failing in columns.values() else derive(self, **columns)

    monkeypatch.setattr(PythonTable, "derive", derived)
    told = audited()
    assert "defect of isrproof: KR103: KeyError" in told.stderr
    assert "KR401" in told.stdout
    assert rules()["KR101"].observation == rules()["KR103"].observation in observations()


@pytest.mark.parametrize("code", ["KR504", "KR531"])
def test_a_rule_on_records_or_on_what_nodes_print_fails_alone(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """KR524 finds what it finds; of a metadata log, of the quorum."""
    monkeypatch.setattr(Observation, "of", _of_all_but(rules()[code].observation, Observation.of))
    told = CliRunner().invoke(main, ["audit", "--engine", "python", str(KRAFT)])
    assert told.exit_code == 2
    assert "KR524" in told.stdout
    assert f"this is a defect of isrproof: {code}: KeyError: " in told.stderr.splitlines()[-1]


def test_a_text_of_a_rule_on_records_that_fails_hides_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rules()["KR524"]
    monkeypatch.setitem(rules(), "KR524", replace(rule, message=_but_once(rule.message)))
    told = CliRunner().invoke(main, ["audit", "--engine", "python", str(KRAFT)])
    assert told.exit_code == 2
    assert "KR524" in told.stdout
    assert "this is a defect of isrproof: KR524: KeyError: " in told.stderr.splitlines()[-1]
