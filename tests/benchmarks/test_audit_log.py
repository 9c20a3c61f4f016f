"""The benchmark's log is what the writer prints, and holds exactly the faults that it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.traces.events.event import Event, Unknown
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.render import render

from benchmarks.audit.readings import faults_found
from lab.cluster.generate import Generated, story
from lab.cluster.lines import RELEASE

EACH_ENGINE = pytest.mark.parametrize("engine", ["columns", pytest.param("python", marks=pytest.mark.full)])
"""The reference takes ten times as long, and other tests hold that both say the same."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return story(tmp_path_factory.mktemp("log") / "logs", brokers=6, partitions=30, tenures=2, seed=3, faults=1)


def test_lines_are_the_writers(generated: Generated) -> None:
    understood = 0
    for file in generated.folder.rglob("*.log"):
        for text in file.read_text(encoding="utf-8").splitlines()[::7]:
            parsed = parse_line(text)
            assert not isinstance(parsed, Unknown), text
            if isinstance(parsed, Event):
                understood += 1
                assert render(parsed, RELEASE) == text
    assert understood > 200


@EACH_ENGINE
def test_the_planted_faults_and_no_others_are_found(generated: Generated, engine: str) -> None:
    (report,) = audit([str(generated.folder)], Options(engine=engine))
    assert faults_found(generated.folder, report.findings) == list(generated.faults)
    assert len({fault.rule for fault in generated.faults}) == 15
    assert report.coverage.unknown == 0


def test_the_same_seed_writes_the_same_bytes(generated: Generated, tmp_path: Path) -> None:
    again = story(tmp_path / "logs", brokers=6, partitions=30, tenures=2, seed=3, faults=1)
    assert again.faults == generated.faults
    for file in generated.folder.rglob("*.log"):
        assert (again.folder / file.relative_to(generated.folder)).read_bytes() == file.read_bytes()


@pytest.fixture(scope="module")
def with_brokers(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """Two controllers, and eight brokers that write their half."""
    folder = tmp_path_factory.mktemp("brokers") / "logs"
    return story(folder, brokers=10, partitions=40, tenures=2, seed=3, faults=0, broker_faults=1)


def test_what_brokers_write_is_understood(with_brokers: Generated) -> None:
    for file in with_brokers.folder.rglob("*.log"):
        assert not [line for line in file.read_text().splitlines() if isinstance(parse_line(line), Unknown)]


@pytest.mark.full
@EACH_ENGINE
def test_faults_of_brokers_are_found_and_nothing_else(with_brokers: Generated, engine: str) -> None:
    (report,) = audit([str(with_brokers.folder)], Options(engine=engine))
    found = faults_found(with_brokers.folder, report.findings)
    assert found == list(with_brokers.faults)
    assert len({fault.rule for fault in found if fault.rule.startswith("KR6")}) == 11


@pytest.mark.full
@EACH_ENGINE
def test_nothing_else_is_found_where_no_later_controller_asks_again(tmp_path: Path, engine: str) -> None:
    """The last controller's faults: what a leader takes, no later request explains (KR650)."""
    made = story(tmp_path / "logs", brokers=10, partitions=30, tenures=1, seed=3, faults=0, broker_faults=1)
    (report,) = audit([str(made.folder)], Options(engine=engine))
    assert faults_found(made.folder, report.findings) == list(made.faults)
