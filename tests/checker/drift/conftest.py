"""Tests of the gate compare few rows: what holds for one holds for all, and all take minutes.

Nearly all of a tree is the same in each test, so wordings are laid over its texts once.
"""

from __future__ import annotations

from functools import cache

import pytest
from isrproof.checker.drift import lines, loggers, matching

from tests.checker.drift.made import kept

_MET = cache(matching._met)


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "rows", kept)
    monkeypatch.setattr(loggers, "rows", kept)
    monkeypatch.setattr(matching, "_met", _MET)
