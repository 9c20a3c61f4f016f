"""The cost of the default tier, file by file, and the line on tests that were skipped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.costs import Clock, costly, skips


def made(file: str, outcome: Any = "passed", reason: str = "", tier: str = "default", cost: float = 0.0) -> Any:
    """A report as conftest.py passes it on."""
    shown = (file, 1, f"Skipped: {reason}") if reason else None
    report = pytest.TestReport(f"{file}::test_it", (file, 1, ""), {}, outcome, shown, "call")
    report.tier, report.cost = tier, cost  # type: ignore[attr-defined]
    return report


def test_a_file_whose_default_tests_cost_too_much_is_named_in_one_line() -> None:
    reports = [made("a.py", cost=6), made("a.py", cost=5), made("b.py", cost=9), made("b.py", tier="full", cost=99)]
    assert costly(reports) == ["a.py: 11 s of CPU, more than 10: mark some of its tests full, or make them cheaper"]


def test_a_report_without_a_cost_has_none() -> None:
    assert costly([pytest.TestReport("a.py::test_it", ("a.py", 1, ""), {}, "failed", None, "call")]) == []


def test_skips_are_one_line_by_reason() -> None:
    slow, full = ("slow (pytest --slow)", "full (pytest --full)")
    reports = [made("a.py", "skipped", reason) for reason in [*[slow] * 1_200, *[full] * 2, "no Chromium"]]
    assert skips([*reports, made("a.py")]) == f"1,203 skipped: 1,200 {slow}, 2 {full}, 1 no Chromium"
    assert skips([made("a.py")]) == ""


def test_a_clock_measures_what_was_spent_since_it_was_asked() -> None:
    clock = Clock()
    sum(range(3_000_000))
    assert clock.lap() > 0
    assert clock.lap() < 1
