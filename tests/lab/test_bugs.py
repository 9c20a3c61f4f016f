"""Names of known bugs, by their cases: given in a release that has the bug, and in none that is without it."""

from __future__ import annotations

import pytest
from isrproof.specs.bugs import Moment, Trace, bugs
from isrproof.specs.errors import IsrproofError
from isrproof.traces.cases.bugs import bug_cases, read

from lab.bugs import LIKE, at, releases_of


@pytest.mark.full(every=3)
@pytest.mark.parametrize("issue", bug_cases())
def test_a_bug_is_named_where_it_is_and_nowhere_else(issue: str) -> None:
    case = bug_cases()[issue]
    has, without = releases_of(case)
    assert at(case, has) == [issue if case.sure else LIKE + issue]
    for release in without:
        assert not any(issue in name for name in at(case, release)), release


OF_RECORDS = {"KAFKA-15552", "KAFKA-15605", "KAFKA-16120", "KAFKA-19294", "KAFKA-19975"}
"""Bugs that only records show (tests/checker/audit/happened/test_named.py, test_happened_records.py)."""


def test_each_bug_since_3_0_that_lines_show_has_a_case() -> None:
    by_lines = {
        bug.issue
        for bug in bugs().values()
        if bug.is_in("2.8.2") or bug.since > "2.8"
        if any(isinstance(sign, (Trace, Moment)) for sign in bug.signs)
    }
    assert {*bug_cases()} | OF_RECORDS == by_lines
    for issue, case in bug_cases().items():
        signs = [sign for sign in bugs()[issue].signs if isinstance(sign, (Trace, Moment))]
        assert case.sure is not any(sign.unsure for sign in signs)


@pytest.mark.parametrize("text", ["# KAFKA-2\n", "# KAFKA-1\n\n```log a\nline  <== perhaps\n```\n", "# KAFKA-1\n"])
def test_a_case_without_its_number_or_its_line_is_refused(text: str) -> None:
    with pytest.raises(IsrproofError, match=r"KAFKA-1\.md"):
        read("KAFKA-1.md", text)
