"""Text logs as a later release may write them: nothing is illegal that is not in the log as it was recorded."""

from __future__ import annotations

import gzip
import random
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report
from isrproof.specs.releases import RELEASES

from tests.newer_lines import WAYS, bearing_row, changed

TRACES = Path(__file__).parents[3] / "traces"
RECORDED, IN_KRAFT = TRACES / "recorded", TRACES / "recorded-kraft"
QUICK = (
    *(RECORDED / name for name in ("failover-on-leader-2.0.0-kill", "isr-flap-2.4.1", "deposed-2.3.1")),
    *(IN_KRAFT / name for name in ("reassign-3.9.1", "unclean-3.3.2", "grow-4.4.0")),
)
Files = Mapping[Path, list[str]]


def recorded(recording: Path, folder: Path) -> tuple[Path, Files]:
    """Copy a recording, its text unpacked, and return its text files with their lines."""
    home = folder / f"{recording.parent.name}-{recording.name}"
    found = {}
    for file in recording.rglob("*"):
        to = home / file.relative_to(recording)
        if not file.is_file() or file.suffix in (".xz", ".jsonl"):
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.parent.name != "metadata" and file.suffix in (".log", ".gz"):
            to = to.with_suffix("") if to.suffix == ".gz" else to
            raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
            to.write_bytes(raw)
            found[to] = raw.decode(errors="replace").splitlines(keepends=True)
        else:
            shutil.copyfile(file, to)
    return home, found


def report_of(home: Path) -> Report:
    (report,) = audit([str(home)], Options(engine="python"))
    return report


def illegal(home: Path) -> Counter[tuple[object, ...]]:
    """Illegal findings, by rule and partition."""
    found = (each for each in report_of(home).findings if each.verdict == "illegal")
    return Counter((each.rule, each.entity.topic, each.entity.partition) for each in found)


@pytest.mark.parametrize(
    "logs", [2, pytest.param(18, marks=pytest.mark.full), pytest.param(2_000, marks=pytest.mark.slow)]
)
def test_what_a_later_release_prints_is_never_evidence(logs: int, tmp_path: Path) -> None:
    dice = random.Random(logs)
    every = sorted(each for root in (RECORDED, IN_KRAFT) for each in root.iterdir() if each.is_dir())
    recordings = {each: recorded(each, tmp_path) for each in (QUICK if logs < 100 else every)}
    before: dict[Path, Counter[tuple[object, ...]]] = {}
    rows = {each: _rows(files) for each, (_, files) in recordings.items()}
    for number in range(logs):
        recording = sorted(recordings)[number % len(recordings)]
        home, files = recordings[recording]
        way, row, every_row = dice.choice(sorted(WAYS)), dice.choice(rows[recording]), dice.random() < 0.2
        from_line = dice.choice((0, 0, dice.randrange(500)))
        if recording not in before:
            before[recording] = illegal(home)
        for file, lines in files.items():
            later = changed(lines[from_line:], way, lambda of, row=row, all_=every_row: of == row or bool(all_ and of))
            file.write_text("".join([*lines[:from_line], *later]))
        assert illegal(home) <= before[recording], (recording.name, way, row, from_line)
        for file, lines in files.items():
            file.write_text("".join(lines))


def _rows(files: Files) -> list[str]:
    return sorted({row for lines in files.values() for line in lines if (row := bearing_row(line)) is not None})


def test_a_version_that_nobody_knows_is_in_the_headline(tmp_path: Path) -> None:
    home, files = recorded(IN_KRAFT / "grow-4.4.0", tmp_path)
    shutil.rmtree(home / "node-1" / "metadata")
    for file, lines in files.items():
        file.write_text("".join(changed(lines, "newer", lambda row: False)))
    report = report_of(home)
    assert report.verdict == "incomplete"
    newest = RELEASES[-1].name
    assert report.not_known == (f"Kafka 5.1.0, which a log prints, is newer than this program knows (up to {newest})",)


def test_loggers_that_move_cost_nothing(tmp_path: Path) -> None:
    home, files = recorded(IN_KRAFT / "reassign-3.9.1", tmp_path)
    before = report_of(home)
    for file, lines in files.items():
        file.write_text("".join(changed(lines, "elsewhere", lambda row: row is not None)))
    after = report_of(home)
    assert {code: tally.evaluated for code, tally in after.rules.items()} == {
        code: tally.evaluated for code, tally in before.rules.items()
    }
    assert (after.verdict, after.not_known) == (before.verdict, ())


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("raft-log-opened", "processes of Kafka 4.4 print raft-log-opened as they start, but no such line was read"),
        ("version-printed", "none prints a readable version of Kafka"),
    ],
)
def test_a_line_that_each_process_prints_and_that_is_not_there_is_noted(row: str, words: str, tmp_path: Path) -> None:
    home, files = recorded(IN_KRAFT / "grow-4.4.0", tmp_path)
    assert not any(words in note for note in report_of(home).notes)
    for file, lines in files.items():
        file.write_text("".join(line for line in lines if bearing_row(line) != row))
    noted = [note for note in report_of(home).notes if words in note]
    assert len(noted) == 3  # a note for each node


def test_the_release_is_reported_from_text_alone(tmp_path: Path) -> None:
    home, _ = recorded(IN_KRAFT / "chaos-4.2.0", tmp_path)
    for metadata in home.glob("node-*/metadata"):
        shutil.rmtree(metadata)
    assert {each.releases for each in report_of(home).releases} == {"4.2"}
