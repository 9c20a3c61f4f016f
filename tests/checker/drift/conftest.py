"""Tests of the gate compare few rows: what holds for one holds for all, and all take minutes."""

from __future__ import annotations

import pytest
from isrproof.checker.drift import lines, loggers

from tests.checker.drift.made import kept


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "rows", kept)
    monkeypatch.setattr(loggers, "rows", kept)
