"""`--release` beside what metadata logs and lines of KRaft mode are of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.file import FileFacts
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.release_given import of_lines
from isrproof.specs.errors import IsrproofError
from isrproof.specs.releases import span

TRACES = Path(__file__).parents[3] / "traces"
KRAFT = TRACES / "recorded-kraft" / "elr-4.0.0"
"""Its metadata.version is 4.0-IV3; of its lines in KRaft mode some are printed since 3.6 only, none since later."""


def notes(path: Path, release: str) -> list[str]:
    (report,) = audit([str(path)], Options.of(release, engine="python"))
    return [note for note in report.notes if "--release" in note]


def facts(rows: Mapping[str, int]) -> FileFacts:
    return FileFacts(0, 0, "some.log", sum(rows.values()), {}, rows, {}, 0)


def test_a_release_that_does_not_know_the_logs_level_is_told() -> None:
    of_log, of_lines = notes(KRAFT, "2.1")
    assert of_log == (
        "the metadata log is at metadata.version 4.0-IV3 from offset 7 on, at which Kafka >=4.0 can run, which"
        " --release 2.1 contradicts: its records are judged by its own level"
    )
    assert of_lines.startswith("391 lines of KRaft mode in 12 files (the first ")
    assert of_lines.endswith(" are worded as in Kafka >=4.0, which --release 2.1 contradicts")


def test_a_release_with_most_of_the_lines_but_not_the_level_is_told_of_both() -> None:
    of_log, of_lines = notes(KRAFT, "3.9")
    assert "metadata.version 4.0-IV3" in of_log
    assert of_lines.startswith("2 lines of KRaft mode")  # votes that are asked for before an election (KIP-996)


@pytest.mark.full(every=4)
@pytest.mark.parametrize("release", ["4.0", "4.1", ">=3.9", "auto"])
def test_a_release_that_may_have_run_is_not_contradicted(release: str) -> None:
    assert notes(KRAFT, release) == []


def test_lines_alone_tell_it_too() -> None:
    (note,) = notes(KRAFT / "node-1" / "server.log.gz", "2.1")
    assert "lines of KRaft mode in 1 file" in note
    assert notes(KRAFT / "node-1" / "server.log.gz", "4.0") == []


def test_lines_of_zookeeper_mode_are_of_a_release_that_has_it() -> None:
    """4.x prints none of them; were it in the range, nothing would be definite."""
    lines = facts({"controller-elected": 1, "controller-of-cluster": 1})
    assert of_lines(span(">=2.6"), [lines]) == span("2.6-3.9")
    with pytest.raises(IsrproofError, match=r"--release: expected a release whose controller uses .* some\.log"):
        of_lines(span("4.0"), [lines])


def test_where_none_is_of_zookeeper_mode_any_release_will_do() -> None:
    lines = facts({"controller-of-cluster": 1})
    assert of_lines(span(">=2.6"), [lines]) == span(">=2.6")
    assert of_lines(span("4.0"), [lines]) == span("4.0")
    assert of_lines(None, [facts({"controller-elected": 1})]) is None
