"""The report as JUnit XML: a suite for each cluster, a test case for each rule, and one for reading the logs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ....specs.errors import IsrproofError
from ...ci.text import for_xml
from ..findings.finding import Finding
from ..options import TROUBLE
from ..rules.advice import advice
from ..rules.catalogue import rules
from ..rules.pages import summary
from .causes import Cause, causes
from .forms import AuditRun
from .happened_text import in_headline, lines
from .model import Report
from .shown import count

if TYPE_CHECKING:
    from junitparser import TestCase, TestSuite
    from junitparser.junitparser import FinalResult

_LINES = 20
"""The most lines of a cause that are listed."""
HEALTH = "nothing was trouble for the cluster"
READING = "every line that bears on a rule was understood"


def write(run: AuditRun) -> str:
    """Return the document; needs junitparser."""
    try:
        from junitparser import JUnitXml
    except ImportError as error:
        raise IsrproofError("--format junit needs junitparser: pip install 'isrproof[reports]'.") from error
    document = JUnitXml("isrproof")
    for title, report in run.clusters:
        document.add_testsuite(_suite(title or " ".join(run.paths), report, run.failing))
    document.update_statistics()  # type: ignore[no-untyped-call]
    if run.seconds is not None:  # of one run; all rules of all clusters are looked at together
        for timed in (document, *(document if len(run.clusters) == 1 else ())):
            timed.time = round(run.seconds, 3)
    into = io.BytesIO()
    document.write(into)
    return into.getvalue().decode("utf-8")


def _suite(title: str, report: Report, failing: Sequence[str]) -> TestSuite:
    from junitparser import TestCase, TestSuite

    suite = TestSuite(for_xml(f"isrproof audit {title}"))
    reading = TestCase(READING, classname="isrproof.audit")
    reading.result = list(_reading(report))
    suite.add_testcase(reading)
    suite.add_testcase(_health(report, failing))
    found = causes(report.findings)
    for code in rules():
        suite.add_testcase(_case(code, report, [each for each in found if each.first.rule == code], failing))
    return suite


def _reading(report: Report) -> Iterator[FinalResult]:
    from junitparser import Error

    if report.verdict == "incomplete":
        undecided = report.counts["unknown"]
        why = [f"{count(undecided, 'finding')} unknown: these lines cannot decide it"] if undecided else []
        yield Error(for_xml("incomplete: " + "; ".join([*why, *report.notes])), "incomplete")


def _health(report: Report, failing: Sequence[str]) -> TestCase:
    """Return a test case that fails only where trouble is asked to."""
    from junitparser import Failure, TestCase

    case = TestCase(HEALTH, classname="isrproof.audit")
    trouble = [line for line in lines(report.happened) if line.trouble]
    text = for_xml("\n".join(f"{line.when}  {line.sentence}  {line.where}" for line in trouble[:_LINES]))
    if trouble and TROUBLE in failing:
        failure = Failure(for_xml(in_headline(report.happened)), TROUBLE)
        failure.text = text
        case.result = [failure]
    elif trouble:
        case.system_out = text
    return case


def _case(code: str, report: Report, found: Sequence[Cause], failing: Sequence[str]) -> TestCase:
    from junitparser import Failure, Skipped, TestCase

    rule = rules()[code]
    case = TestCase(f"{code} {rule.name}", classname="isrproof.audit")
    tally = report.rules.get(code)
    broken = [each for each in found if each.first.verdict in failing]
    others = [each for each in found if each.first.verdict not in failing]
    if broken:
        failure = Failure(for_xml(_sentence(broken)), broken[0].first.verdict)
        todo = advice(rule)
        advice_lines = [] if todo is None else [f"{word}: {text}" for word, text in todo.sentences()]
        failure.text = for_xml("\n".join([*(line for each in broken for line in _lines(each)), *advice_lines]))
        case.result = [failure]
    elif tally is None or not tally.evaluated:
        case.result = [Skipped(f"nothing to check: no line for this rule ({summary(rule)})")]
    elif any(each.first.verdict == "unknown" for each in others):
        undecided = [each for each in others if each.first.verdict == "unknown"]
        decided = undecided[0].first.decided_by
        reason = f"; decided by {decided}" if decided else ""
        case.result = [Skipped(for_xml(f"unknown: {_sentence(undecided)}{reason}"))]
    if others:
        case.system_out = for_xml("\n".join(f"{each.first.verdict}: {each.sentence}" for each in others))
    return case


def _sentence(found: Sequence[Cause]) -> str:
    more = f" (and {count(len(found) - 1, 'other cause')})" if len(found) > 1 else ""
    return found[0].sentence + more


def _lines(cause: Cause) -> Iterator[str]:
    yield f"{cause.first.verdict}: {cause.sentence}; {count(len(cause.findings), 'finding')}"
    yield f"  expected {cause.first.expected}; got {cause.first.got}"
    shown: Sequence[Finding] = cause.findings[:_LINES]
    yield from (f"  {each.place}: {each.message}" for each in shown)
    if len(shown) < len(cause.findings):
        yield f"  and {len(cause.findings) - len(shown)} more"
