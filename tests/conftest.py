"""What all tests share: the marks, and the promise that a full run skips nothing it must run."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, however busy the machine is; --hypothesis-profile=default searches for others.
settings.register_profile(
    "same", deadline=None, derandomize=True, print_blob=False, suppress_health_check=list(HealthCheck)
)
settings.load_profile("same")

SHARED = Path(os.environ.get("ISRPROOF_SHARED", Path(__file__).parents[2] / "shared"))
MUST_RUN = frozenset(filter(None, os.environ.get("ISRPROOF_MUST_RUN", "").split(",")))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if _too_slow(item):
            item.add_marker(pytest.mark.skip(reason="takes minutes: pytest --slow"))
    if not (SHARED / "corpus" / "real").is_dir():
        for item in items:
            if item.get_closest_marker("corpus"):
                item.add_marker(pytest.mark.skip(reason=f"no corpus at {SHARED.name}/corpus/real beside the checkout"))


def _too_slow(item: pytest.Item) -> bool:
    asked = item.config.getoption("--slow") or "slow" in item.config.getoption("-m")
    return item.get_closest_marker("slow") is not None and not asked


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """ISRPROOF_MUST_RUN=spark,corpus: a test with such a mark fails instead of being skipped, unless it is slow."""
    report = yield
    must = [mark for mark in MUST_RUN if item.get_closest_marker(mark)]
    if report.skipped and must and not _too_slow(item):
        report.outcome = "failed"
        report.longrepr = f"skipped, though ISRPROOF_MUST_RUN names {', '.join(must)}: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real logs."""
    return SHARED / "corpus" / "real"
