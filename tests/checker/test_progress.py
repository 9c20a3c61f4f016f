"""Progress: off a terminal a line every few seconds, and nothing once the work is done."""

from __future__ import annotations

import re
import threading
import time

import pytest
from isrproof.checker import progress
from isrproof.checker.progress import showing


def _wait_for(count: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    said, deadline = "", time.monotonic() + 20
    while said.count("\n") < count and time.monotonic() < deadline:
        time.sleep(0.01)
        said += capsys.readouterr().err
    return said.splitlines()


def test_a_line_comes_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.02)
    before = threading.active_count()
    with showing(lambda: "level 3"):
        lines = _wait_for(2, capsys)
    assert len(lines) >= 2
    assert all(re.fullmatch(r"level 3 \(\d+ s\)", line) for line in lines)
    assert threading.active_count() == before


def test_it_counts_what_is_done(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.02)
    with progress.progress("reading 3 files", 3) as advance:
        advance(2)
        lines = _wait_for(1, capsys)
    assert lines[0].startswith("reading 3 files: 2 of 3 (")


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with showing(lambda: "never"):
        pass
    assert capsys.readouterr().err == ""
