"""Fixtures and hooks of all tests: the tiers, the marks, and the promise that a full run skips nothing it must run."""

from __future__ import annotations

import gc
import os
import shutil
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from isrproof.checker import progress

from tests.costs import Clock, costly, skips
from tests.tiers import keep_some, left_out_line, tier_of

# The same examples in every run, however busy the machine is; --hypothesis-profile=default searches for others.
settings.register_profile(
    "same", deadline=None, derandomize=True, print_blob=False, suppress_health_check=list(HealthCheck)
)
settings.register_profile("few", settings.get_profile("same"), max_examples=25)
settings.load_profile("same")

SHARED = Path(os.environ.get("ISRPROOF_SHARED", Path(__file__).parents[2] / "shared"))
MUST_RUN = frozenset(filter(None, os.environ.get("ISRPROOF_MUST_RUN", "").split(",")))
CLOCK = pytest.StashKey[Clock]()
LEFT_OUT = pytest.StashKey[Counter[str]]()
"""The number of tests of each tier that was not requested."""


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers = parser.getgroup("tiers", "tiers: the default run takes 3 minutes on two cores")
    tiers.addoption("--full", action="store_true", help="also run the tests marked full: 18 minutes on two cores")
    tiers.addoption("--slow", action="store_true", help="also run the tests that take minutes, and those marked full")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CLOCK] = Clock()
    more = config.getoption("--full") or config.getoption("--slow") or config.getoption("-m")
    if not more and not config.getoption("--hypothesis-profile"):
        settings.load_profile("few")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    keep_some(items)
    # They are deselected, not skipped: thousands of reports of skips take xdist some ten seconds.
    left_out = [item for item in items if _left_out(item)]
    items[:] = [item for item in items if not _left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    config.stash[LEFT_OUT] = Counter(map(tier_of, left_out))
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = dict(config.stash[LEFT_OUT])
    if not (SHARED / "corpus" / "real").is_dir():
        for item in items:
            if item.get_closest_marker("corpus"):
                item.add_marker(pytest.mark.skip(reason=f"no corpus at {SHARED.name}/corpus/real beside the checkout"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of xdist is done: each has collected all tests."""
    if found := getattr(node, "workeroutput", {}).get("left_out"):
        node.config.stash[LEFT_OUT] = Counter(found)


def pytest_collection_finish() -> None:
    """Freeze imported and collected objects, which stay until the end: the garbage collector need not go through them
    again."""
    gc.collect()
    gc.freeze()


def _left_out(item: pytest.Item) -> bool:
    """Return True if a test is of a tier that was not requested, by its option or with -m."""
    tier = tier_of(item)
    asked = tier == "default" or item.config.getoption(f"--{tier}") or tier in item.config.getoption("-m")
    return not (asked or item.config.getoption("--slow"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """ISRPROOF_MUST_RUN=spark,corpus: a test with such a mark fails instead of being skipped."""
    report = yield
    must = [mark for mark in MUST_RUN if item.get_closest_marker(mark)]
    if report.skipped and must:
        report.outcome = "failed"
        report.longrepr = f"skipped, though ISRPROOF_MUST_RUN names {', '.join(must)}: {report.longrepr}"
    # A worker of xdist sends a report with all that it has.
    report.tier, report.cost = tier_of(item), item.config.stash[CLOCK].lap()
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
    for line in filter(None, (skips(_reports(config)), left_out_line(config.stash.get(LEFT_OUT, Counter())))):
        terminalreporter.write_line(line, yellow=True)


@pytest.fixture(autouse=True, scope="session")
def no_progress() -> Iterator[None]:
    """No line of progress in what a command prints, however slow the machine is."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(progress, "EVERY", 3600.0)
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real logs."""
    return SHARED / "corpus" / "real"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium; of each module its own, since the driver has a loop of events that other tests may not have."""
    api = pytest.importorskip("playwright.sync_api")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium on this machine: install Debian's package chromium")
    with api.sync_playwright() as driver:
        try:
            started = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-dev-shm-usage"])
        except api.Error as error:
            pytest.skip(f"{found} does not start: {error}")
        yield started
        started.close()
