"""Files sorted by their text, and files that kept only lines with a time: both are reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.traces.formats.order import by_text

from tests.recordings import RECORDED

NAME, FILE = "chaos-1.1.1-2", "broker-3/state-change.log"
SORTED, DROPPED = "in the order of their text", "stack traces were dropped"


def audited(folder: Path, engine: str) -> Report:
    (report,) = audit([str(folder)], Options(engine=engine))
    return report


def changed(folder: Path, lines: list[str]) -> Path:
    shutil.copytree(RECORDED / NAME, folder)
    (folder / FILE).write_text("".join(f"{line}\n" for line in lines))
    return folder


def lines_of() -> list[str]:
    return (RECORDED / NAME / FILE).read_text().splitlines()


@pytest.mark.full
@pytest.mark.full(every=2)
@pytest.mark.parametrize("engine", ["columns", "python"])
def test_a_file_that_was_sorted_is_told_and_has_no_other_findings(engine: str, tmp_path: Path) -> None:
    clean = audited(RECORDED / NAME, engine)
    report = audited(changed(tmp_path / NAME, sorted(lines_of())), engine)
    assert not any(SORTED in note or DROPPED in note for note in clean.notes)
    assert [note for note in report.notes if SORTED in note and FILE in note]
    illegal = {finding.message for finding in clean.findings if finding.verdict == "illegal"}
    assert {finding.message for finding in report.findings if finding.verdict == "illegal"} <= illegal


@pytest.mark.full
@pytest.mark.parametrize("engine", ["python", "columns"])
def test_stack_traces_that_were_dropped_are_told(engine: str, tmp_path: Path) -> None:
    report = audited(changed(tmp_path / NAME, [line for line in lines_of() if line.startswith("[")]), engine)
    assert [note for note in report.notes if DROPPED in note and FILE in note]
    assert report.verdict == "illegal"


TICKS = [f"[2018-09-01 10:00:00,{at:03}] TRACE" for at in range(24)]
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def written(*words: str, ticks: int = 24) -> list[str]:
    """Some lines for each of several times, in the order of their words, as they are given."""
    return [f"{tick} {word} happened (state.change.logger)" for tick in TICKS[:ticks] for word in words]


def test_lines_of_many_wordings_stand_in_the_order_of_their_text_by_no_accident() -> None:
    assert by_text(written(*sorted(WORDS)))
    assert not by_text(written(*WORDS))


def test_few_lines_or_few_wordings_may_stand_so_by_accident() -> None:
    assert not by_text(written(*sorted(WORDS), ticks=2))
    assert not by_text(written("alpha", "beta", "gamma"))
    assert not by_text([f"{TICKS[0]} alpha {at:03} happened" for at in range(100)])


def test_one_pair_in_another_order_shows_that_nobody_sorted_them() -> None:
    lines = written(*sorted(WORDS))
    assert not by_text([*lines[:2], lines[3], lines[2], *lines[4:]])
    assert by_text([*lines[:2], "\tat kafka.Kafka.main", lines[2], lines[2], *lines[3:]])
