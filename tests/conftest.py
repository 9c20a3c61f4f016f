"""Fixtures and hooks of all tests: the tiers, the marks, and the promise that a full run skips nothing it must run."""

from __future__ import annotations

import gc
import os
import pickle
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.costs import Clock, costly, skips

# The same examples in every run, however busy the machine is; --hypothesis-profile=default searches for others.
settings.register_profile(
    "same", deadline=None, derandomize=True, print_blob=False, suppress_health_check=list(HealthCheck)
)
settings.load_profile("same")

SHARED = Path(os.environ.get("ISRPROOF_SHARED", Path(__file__).parents[2] / "shared"))
MUST_RUN = frozenset(filter(None, os.environ.get("ISRPROOF_MUST_RUN", "").split(",")))
TIERS = ("slow", "full")
"""Marks of tests that the default run leaves out. A test with both is slow."""
CLOCK = pytest.StashKey[Clock]()


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers = parser.getgroup("tiers", "tiers: the default run takes 6 minutes on two cores")
    tiers.addoption("--full", action="store_true", help="also run the tests marked full: 25 minutes on two cores")
    tiers.addoption("--slow", action="store_true", help="also run the tests that take minutes, and those marked full")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CLOCK] = Clock()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _keep_some(items)
    for item in items:
        if _left_out(item):
            tier = _tier(item)
            item.add_marker(pytest.mark.skip(reason=f"{tier} (pytest --{tier})"))
    if not (SHARED / "corpus" / "real").is_dir():
        for item in items:
            if item.get_closest_marker("corpus"):
                item.add_marker(pytest.mark.skip(reason=f"no corpus at {SHARED.name}/corpus/real beside the checkout"))


def _keep_some(items: list[pytest.Item]) -> None:
    """Take the mark full(every=20) from the first of 20 examples of a test, so that -m full does not select it; before
    that, the mark slow(every=3) from the first of 3."""
    for tier in TIERS:
        seen: Counter[str] = Counter()
        for item in items:
            mark = item.get_closest_marker(tier)
            if mark and "every" in mark.kwargs and _tier(item) == tier:
                function = item.nodeid.partition("[")[0]
                if seen[function] % mark.kwargs["every"] == 0:
                    item.own_markers.remove(mark)
                seen[function] += 1


def pytest_collection_finish() -> None:
    """Freeze imported and collected objects, which stay until the end: the garbage collector need not go through them
    again."""
    gc.collect()
    gc.freeze()


def _tier(item: pytest.Item) -> str:
    return next((tier for tier in TIERS if item.get_closest_marker(tier)), "default")


def _left_out(item: pytest.Item) -> bool:
    """Return True if a test is of a tier that was not requested, by its option or with -m."""
    tier = _tier(item)
    asked = tier == "default" or item.config.getoption(f"--{tier}") or tier in item.config.getoption("-m")
    return not (asked or item.config.getoption("--slow"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """ISRPROOF_MUST_RUN=spark,corpus: a test with such a mark fails instead of being skipped, unless for its tier."""
    report = yield
    must = [mark for mark in MUST_RUN if item.get_closest_marker(mark)]
    if report.skipped and must and not _left_out(item):
        report.outcome = "failed"
        report.longrepr = f"skipped, though ISRPROOF_MUST_RUN names {', '.join(must)}: {report.longrepr}"
    # A worker of xdist sends a report with all that it has.
    report.tier, report.cost = _tier(item), item.config.stash[CLOCK].lap()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    item.config.stash[CLOCK].lap()  # what was before it, such as collection, is no test's


def _reports(config: pytest.Config) -> list[pytest.TestReport]:
    """All reports of tests, in the process that prints them."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    found = terminal.stats.values() if terminal else ()
    return [each for reports in found for each in reports if isinstance(each, pytest.TestReport)]


def _costly(config: pytest.Config) -> list[str]:
    """Files whose default tier is too expensive: they fail a full run; .ci/run, where all must run, only names them."""
    asked = MUST_RUN or config.getoption("--full") or config.getoption("--slow")
    return costly(_reports(config)) if asked else []


def pytest_sessionfinish(session: pytest.Session) -> None:
    # On a machine that others use, times prove little: .ci/run only names the files.
    if session.exitstatus == pytest.ExitCode.OK and not MUST_RUN and _costly(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for line in _costly(config):
        terminalreporter.write_line(line, red=True)
    if line := skips(_reports(config)):
        terminalreporter.write_line(line, yellow=True)


@pytest.fixture(scope="session")
def reference_of_quick(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the reference's reports of the quick recordings: the first process of a run that asks keeps them for the
    others."""
    from tests import engines
    from tests.recordings import quick

    own = tmp_path_factory.getbasetemp()
    kept = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "reference-of-quick"
    if not kept.exists():
        made = own / "reference-of-quick.made"
        made.write_bytes(pickle.dumps(engines.reference(quick())))
        made.replace(kept)
    found: list[dict[str, Any]] = pickle.loads(kept.read_bytes())
    return found


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real logs."""
    return SHARED / "corpus" / "real"
