"""The fuzzer's cases, in three tiers, and the mends of what it found."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.options import Options

from lab import RECORDED
from tests.fuzz.__main__ import enumerated, main, run, table
from tests.fuzz.case import Case, Result, tried
from tests.fuzz.kinds import KINDS, Kind
from tests.fuzz.subjects import TEXT, names, subject

KNOWN: dict[tuple[str, str], str] = {}
"""Failures by their kinds and a part of what is wrong, with where they come from; a mend removes its row."""


def known(result: Result) -> bool:
    return any(result.case.kind == kind and part in (result.wrong or "") for kind, part in KNOWN)


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        (1, 10),
        pytest.param(2, 300, marks=pytest.mark.full),
        pytest.param(3, 20_000, marks=pytest.mark.slow),
    ],
)
def test_no_verdict_is_false_or_missing(seed: int, count: int, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    cases = enumerated(sorted(KINDS), seed, 0, max(count, len(KINDS)), every=count > 1_000)
    if count < len(KINDS):
        cases = cases[:: len(cases) // count][:count]
    results = list(run(cases, tmp_path))
    print(table(results))
    assert len(results) == count
    assert not [(each.case.command(), each.wrong) for each in results if not (each.wrong is None or known(each))]


def test_the_same_case_is_the_same_input() -> None:
    for kind in sorted(KINDS)[::6]:
        case = Case(kind, 5, 7, every=False)
        assert case.files() == Case(kind, 5, 7, every=False).files()
        assert case.files() != Case(kind, 6, 7, every=False).files()


FAULTY, SOUND = "failover-on-leader-2.0.0-kill", "failover-on-leader-2.3.1-kill"


def test_an_illegal_finding_that_is_gained_is_a_failure_that_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(KINDS, "lines cut", Kind(TEXT, lambda *_: subject(TEXT, FAULTY)))
    monkeypatch.setattr("tests.fuzz.case.names", lambda *_: (SOUND,))
    result = tried(Case("lines cut", 1, 0, every=False), tmp_path)
    assert result.wrong is not None
    assert result.wrong.startswith("illegal gained: KR401")
    assert result.case.command() == "python -m tests.fuzz --only 'lines cut' --seed 1 --first 0 --cases 1"
    assert (tmp_path / "lines-cut-1-0" / "broker-4" / "state-change.log").exists()
    arguments = ["fuzz", "--only", "lines cut", "--cases", "1", "--keep", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    assert main() == 1
    assert result.case.command() in capsys.readouterr().out


def test_every_kind_changes_its_subject() -> None:
    for name, kind in KINDS.items():
        cases = [Case(name, 1, number, every=False) for number in range(3)]
        assert any(case.files() != subject(kind.sort, case.subject()) for case in cases), name


def test_subjects_are_all_recordings() -> None:
    assert len(names(TEXT, True)) == len([*RECORDED.glob("*/manifest.json")])


def test_a_page_is_made_of_a_log_in_which_no_line_names_live_brokers(tmp_path: Path) -> None:
    """The only such line was damaged."""
    pytest.importorskip("jinja2")
    log = (RECORDED / FAULTY / "broker-4" / "state-change.log").read_text()
    (tmp_path / "state-change.log").write_text("".join(line for line in log.splitlines(True) if "live" not in line))
    answer = audit_command([str(tmp_path)], Options(engine="python"), "html")
    assert answer.text.startswith("<!DOCTYPE html>")


def test_a_finding_whose_line_is_damaged_elsewhere_is_not_gained(tmp_path: Path) -> None:
    """The line names its epoch twice, and the rule reads the first."""
    assert tried(Case("text: huge numbers", 3, 420, every=False), tmp_path).wrong is None
