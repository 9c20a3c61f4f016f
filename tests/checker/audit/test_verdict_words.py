"""Suspicious has one definition: the one that a report prints."""

from __future__ import annotations

import pytest
from isrproof.checker.audit.report.text import _MEANING

from tests.imports import ROOT


@pytest.mark.parametrize("page", ["README.md", "docs/verdicts.md"])
def test_pages_define_suspicious_as_a_report_does(page: str) -> None:
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    (definition,) = (line for line in lines if line.startswith(("* *suspicious*: ", "| suspicious | ")))
    assert _MEANING["suspicious"] in definition
