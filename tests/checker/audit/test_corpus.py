"""Other people's logs: how much of them is understood, and that nothing new is called illegal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.specs.lines import STATE_CHANGE, rows

from tests.evaluated import evaluated

pytestmark = [pytest.mark.corpus, pytest.mark.full]

TRUE_POSITIVES = {"072-citypulse-kafkaclusterdeploy-state-change.log.2018-12-09-01.log": Counter({"KR401": 2})}
"""Illegal findings that a person has checked: KAFKA-3143 on 1.0, leader 1, live brokers {2}."""


@pytest.fixture(scope="module")
def reports(request: pytest.FixtureRequest) -> dict[str, Report]:
    files = sorted(Path(request.getfixturevalue("corpus")).glob("*.log*"))
    found = audit([str(file) for file in files], Options(each=True, engine="columns"))
    return dict(zip((file.name for file in files), found, strict=True))


def test_nearly_every_line_of_the_two_loggers_is_understood(reports: dict[str, Report]) -> None:
    """At least 99 % of state.change.logger; a line of it that no row matches makes a run incomplete."""
    unknown = sum(file.bearing_unknown for report in reports.values() for file in report.files)
    known = sum(
        count
        for report in reports.values()
        for row, count in report.coverage.rows.items()
        if rows()[row].family in (STATE_CHANGE, "kafka.controller")
    )
    assert known > 100_000
    assert unknown <= known / 100


def test_what_is_illegal_was_looked_at(reports: dict[str, Report]) -> None:
    illegal = {
        name: Counter(finding.rule for finding in report.findings if finding.verdict == "illegal")
        for name, report in reports.items()
        if report.verdict == "illegal"
    }
    assert illegal == TRUE_POSITIVES
    assert sum(evaluated(report) != set() for report in reports.values()) > 100
