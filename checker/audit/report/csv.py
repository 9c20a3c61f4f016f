"""The findings as CSV, one row each, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ..findings.finding import Finding
from .forms import AuditRun
from .healing import Healings, in_words
from .shown import plain, printed

COLUMNS = (
    *("path", "verdict", "rule", "name", "file", "line", "time", "kind", "topic", "partition", "replica", "broker"),
    *("life", "controller_epoch", "message", "expected", "got", "known_issue", "fixed_in", "decided_by", "healed"),
    *("fingerprint", "excerpt"),
)
_FORMULA = ("=", "+", "-", "@")


def write(run: AuditRun) -> str:
    """Return the table with its header; a text that a spreadsheet would read as a formula begins with an apostrophe."""
    into = io.StringIO()
    table = csv.writer(into, lineterminator="\n")
    table.writerow(COLUMNS)
    for title, report in run.clusters:
        healings = Healings.of(report)
        table.writerows([*map(_cell, _row(title, finding, healings))] for finding in report.findings)
    return into.getvalue()


def _row(title: str, finding: Finding, healings: Healings) -> Iterator[str | int | None]:
    about, healing = finding.entity, healings.healing(finding)
    yield from (title, finding.verdict, finding.rule, finding.name, finding.file, finding.line)
    yield None if finding.ts is None else printed(finding.ts)
    yield from (about.kind, about.topic, about.partition, about.replica, about.broker)
    yield from (finding.life, finding.controller_epoch, finding.message, finding.expected, finding.got)
    yield from (finding.known_issue, finding.fixed_in, finding.decided_by)
    yield None if healing is None else in_words(healing)
    yield from (finding.fingerprint, finding.excerpt)


def _cell(value: str | int | None) -> str | int | None:
    if not isinstance(value, str):
        return value
    return f"'{plain(value)}" if value.startswith(_FORMULA) else plain(value)
