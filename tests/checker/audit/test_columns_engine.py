"""Columns on this machine: however files are cut, and whoever reads them, they say what the reference says."""

from __future__ import annotations

import gzip
import random
from itertools import pairwise
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.table.protocol import Row, Table
from isrproof.traces.sources.text import Lines, Stretch

from tests import engines
from tests.recordings import FEW, RECORDED

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

from isrproof.checker.audit.files import columns

KILLED = RECORDED / "failover-on-leader-2.0.0-kill"


@pytest.mark.full(every=4)
@pytest.mark.parametrize(
    ("part", "piece", "buckets"),
    [(5_000, 50, 3), (300, 7, 1), (1, 1, 2), pytest.param(20_000, 100, 100, marks=pytest.mark.slow)],
)
def test_however_files_are_cut_it_is_equal(part: int, piece: int, buckets: int) -> None:
    plain = engines.reference([KILLED])
    assert engines.columns([KILLED], part=part, piece=piece, buckets=buckets) == plain
    assert plain[0]["findings"]


@pytest.mark.full
def test_recordings_are_equal_in_other_processes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few: what comes of all of them in columns, test_all_is_equal.py holds against the reference."""
    recordings = [RECORDED / name for name in FEW]
    plain = engines.columns(recordings)
    monkeypatch.setattr(columns, "_ALONE", 0)
    monkeypatch.setattr(columns, "_DETECTED", 2)
    assert engines.columns(recordings, jobs=2, part=100_000, buckets=3) == plain


@pytest.mark.parametrize("step", [1, 2, 5, 1_000])
def test_the_parts_of_a_file_are_its_lines(step: int, tmp_path: Path) -> None:
    rng = random.Random(step)
    path = tmp_path / "a.log"
    lines = [rng.choice(["", "x", "\r", "y" * rng.randrange(9), "z" * 200_000 * (step > 5)]) for _ in range(50)]
    path.write_text("\n".join(lines) + rng.choice(["", "\n"]), encoding="utf-8", newline="")
    bounds = [*columns._bounds(str(path), step)]
    assert bounds == sorted({0, *bounds, path.stat().st_size})
    assert [line for begin, end in pairwise(bounds) for line in Stretch(str(path), begin, end)] == [*Lines(str(path))]


def test_what_keeps_a_file_from_being_read_whole_is_told(tmp_path: Path) -> None:
    """Files that are read natively, and files in an envelope."""
    log = (KILLED / "broker-3" / "state-change.log").read_bytes()
    cut = gzip.compress(log)[: -len(log) // 40]
    (tmp_path / "state-change.log.gz").write_bytes(cut)
    (tmp_path / "controller.log").write_bytes(b"\x00\x01\x02" * 1_000)
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "cri.log").write_bytes(
        b"".join(b"2026-11-21T21:06:07.000000000Z stdout F " + line + b"\n" for line in log.splitlines()[:200])
    )
    plain, found = (
        [as_json(report) for report in audit([str(tmp_path)], Options(engine=engine))]
        for engine in ("python", "columns")
    )
    assert found == plain
    problems = {Path(file["path"]).name: file["problem"] for file in plain[0]["files"]}
    assert "cut or broken" in problems["state-change.log.gz"]
    assert problems["controller.log"]
    assert problems["cri.log"] is None


def test_lines_are_looked_at_again_with_the_numbers_that_they_have() -> None:
    found = engines.sources([KILLED])
    plain = engines.InProcess(found, engines.UNASKED, False, engines.lines_read())
    cut = columns.InColumns(
        found, [10**6] * len(found), engines.UNASKED, False, engines.lines_read(), engines.OF_FILES, part=5_000
    )
    for log in (plain, cut):
        log.read(engines.first_look)
    for files in ([0], [1, 3]):
        rows = [sorted(map(str, log.over_lines(_shown, files))) for log in (plain, cut)]
        assert rows[0] == rows[1] != []


def _shown(table: Table) -> list[Row]:
    return [{name: row[name] for name in ("file", "line", "row", "ts")} for row in table.rows()]
