"""Costs of tests in CPU time, file by file, and the summary of skipped ones."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest

LIMIT = 10.0
"""The CPU seconds that tests of the default tier may take in a file."""
USUAL = 0.05
"""The CPU seconds of the calibration on the machine on which LIMIT was chosen."""


class Clock:
    """The CPU time of this process and the children it waited for, in seconds of a machine of usual speed."""

    def __init__(self) -> None:
        # A faster machine is given no less time: the limit is meant in seconds.
        self._slowness = max(1.0, calibration() / USUAL)
        self._last = spent()

    def lap(self) -> float:
        """The time since it was last asked."""
        before, self._last = self._last, spent()
        return (self._last - before) / self._slowness


def spent() -> float:
    return sum(os.times()[:4])


def calibration() -> float:
    """The CPU time of a loop like what most tests do (integers, strings and a dictionary), the middle of three."""
    return sorted(_loop() for _ in range(3))[1]


def _loop() -> float:
    before = time.process_time()
    seen: dict[str, int] = {}
    for number in range(250_000):
        key = str(number % 1000)
        seen[key] = seen.get(key, 0) + number
    return time.process_time() - before


def costly(reports: Iterable[pytest.TestReport], limit: float = LIMIT) -> list[str]:
    """A line for each file whose tests of the default tier took longer than the limit."""
    costs: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        # A report that xdist makes of a worker that died has neither.
        if getattr(report, "tier", None) == "default":
            costs[report.nodeid.partition("::")[0]] += report.cost
    return [
        f"{file}: {cost:.0f} s of CPU, more than {limit:.0f}: mark some of its tests full, or make them cheaper"
        for file, cost in sorted(costs.items())
        if cost > limit
    ]


def skips(reports: Iterable[pytest.TestReport]) -> str:
    """Return the number of skipped tests, by reason; nothing if there are none."""
    reasons = Counter(_reason(report) for report in reports if report.skipped and not hasattr(report, "wasxfail"))
    each = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    return each and f"{reasons.total():,} skipped: {each}"


def _reason(report: pytest.TestReport) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
