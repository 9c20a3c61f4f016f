"""A sample of planted faults: the audit finds each, and names the line that first shows it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.faults import KINDS, Recording, load
from benchmarks.faults.injection import Injection

RECORDED = Path(__file__).parents[3] / "traces" / "recorded"
SMALL = ("failover-on-leader-2.3.1-kill", "zombie-2.0.0", "lifecycle-3.9.1", "lifecycle-2.2.2")
"""Each kind is planted in the first of these that has room for it and shows it."""


@cache
def read(name: str) -> tuple[Recording, Injection]:
    recording = load(RECORDED / name)
    return recording, Injection(recording)


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_fault_is_found_at_its_line(kind: str) -> None:
    for name in SMALL:
        recording, injection = read(name)
        possible = [fault for fault in KINDS[kind](recording) if fault.hidden is None]
        if possible:
            middle = possible[len(possible) // 2]
            outcome = injection.outcome(middle)
            assert outcome.found, middle
            assert outcome.line_right, (middle, outcome.first)
            return
    pytest.fail(f"no recording of {SMALL} has room for this kind")
