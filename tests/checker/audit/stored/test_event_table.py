"""An audit of an event table: the same report as from the logs, in either engine."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.files import by_file, worker
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.stored.arrow import NONE, SCHEMA, _different, from_arrow, to_arrow
from isrproof.checker.audit.stored.manifest import read
from isrproof.checker.audit.stored.parts import NO_DAY
from isrproof.checker.audit.stored.schema import COLUMNS, MEANING, PLACE
from isrproof.checker.audit.stored.writing import Input, write_events
from isrproof.checker.audit.table.arrays import Dictionary, array_of
from isrproof.checker.cli import main
from isrproof.specs.errors import IsrproofError
from isrproof.specs.lines import rows
from isrproof.specs.release_sets import names, span
from isrproof.traces.events.event import FIELDS

from tests.recordings import CHAOS, FAILOVER, RECORDED, each

RECORDED_KRAFT = RECORDED.with_name("recorded-kraft")
CORPUS = Path(__file__).parents[5] / "shared" / "corpus" / "real"


IN_KRAFT_MODE = [path.parent for path in RECORDED_KRAFT.glob("*/manifest.json")]


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def answer(path: Path, form: str = "json", **options: object) -> str:
    try:
        return audit_command([str(path)], Options(**options), form).text  # type: ignore[arg-type]
    except IsrproofError as error:
        return f"{error}"


def must_be_equal(logs: Path, table: Path, **options: object) -> None:
    wanted = answer(logs, timeline=True, **options)
    assert "verdict" in wanted
    write_events(table, Input((str(logs),)))
    for engine in ("columns", "python"):
        assert answer(table, timeline=True, engine=engine, **options) == wanted


@pytest.mark.parametrize("name", each(0, 2))
def test_recordings_have_the_same_report(name: str, tmp_path: Path) -> None:
    must_be_equal(RECORDED / name, tmp_path / "table")


@pytest.mark.slow(every=4)
@pytest.mark.full(every=1000)
@pytest.mark.parametrize("folder", sorted(IN_KRAFT_MODE, key=size_of), ids=lambda folder: folder.name)
def test_recordings_in_kraft_mode_have_the_same_report(folder: Path, tmp_path: Path) -> None:
    must_be_equal(folder, tmp_path / "table")


@pytest.mark.slow(every=10)
@pytest.mark.full
@pytest.mark.skipif(not CORPUS.is_dir(), reason="../shared/corpus is not here")
@pytest.mark.parametrize("file", sorted(CORPUS.rglob("*.*"))[::3], ids=lambda path: path.name)
def test_real_logs_have_the_same_report(file: Path, tmp_path: Path) -> None:
    wanted = answer(file, timeline=True)
    if '"verdict"' not in wanted:
        return
    write_events(tmp_path / "table", Input((str(file),)))
    assert answer(tmp_path / "table", timeline=True) == wanted


@pytest.mark.full(every=3)
@pytest.mark.parametrize("options", [{"partition": ("t", 0)}, {"lossy": True}, {"releases": 1 << 5}], ids=str)
def test_options_of_the_audit_hold_for_a_table(options: dict[str, object], tmp_path: Path) -> None:
    must_be_equal(FAILOVER, tmp_path / "table", **options)


@pytest.mark.full
def test_the_text_and_the_lines_around_findings_are_there(tmp_path: Path) -> None:
    write_events(tmp_path / "table", Input((str(CHAOS),)))
    assert answer(tmp_path / "table", "text", verbose=True) == answer(CHAOS, "text", verbose=True)


def test_places_of_an_envelope_and_of_several_writers(tmp_path: Path) -> None:
    lines = {broker: (FAILOVER / f"broker-{broker}" / "state-change.log").read_text().splitlines() for broker in (2, 4)}
    compose = tmp_path / "compose.log"
    compose.write_text("".join(f"kafka{broker}  | {line}\n" for broker, own in lines.items() for line in own))
    must_be_equal(compose, tmp_path / "table")
    events = pq.read_table(tmp_path / "table" / "events").to_pylist()
    assert {row["writer"] for row in events} == {"kafka2", "kafka4"}
    text = compose.read_text().splitlines()
    assert all(text[row["line"] - 1].endswith(row["text"]) for row in events)
    assert any(row["number"] is not None for row in events)


def test_lines_around_midnight_stay_in_order(tmp_path: Path) -> None:
    log = tmp_path / "state-change.log"
    text = (FAILOVER / "broker-4" / "state-change.log").read_text()
    middle = text.index("\n", len(text) // 2) + 1
    log.write_text(text[:middle] + text[middle:].replace("2026-11-21", "2026-11-22"))
    must_be_equal(log, tmp_path / "table")
    days = {path.parent.name for path in (tmp_path / "table" / "events").rglob("*.parquet")}
    assert days == {"day=2026-11-21", "day=2026-11-22"}


@pytest.mark.full
def test_files_of_one_unit_and_of_many_give_the_same(tmp_path: Path) -> None:
    write_events(tmp_path / "one", Input((str(FAILOVER),)))
    write_events(tmp_path / "many", Input((str(FAILOVER),)), unit=1, jobs=2)
    parts = {name: len([*(tmp_path / name).rglob("*.parquet")]) for name in ("one", "many")}
    assert parts["one"] < parts["many"]
    assert answer(tmp_path / "one") == answer(tmp_path / "many")


@pytest.mark.full
def test_lines_that_are_parsed_file_by_file_or_together_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compose = tmp_path / "compose.log"
    own = ((broker, FAILOVER / f"broker-{broker}" / "state-change.log") for broker in (2, 4))
    compose.write_text("".join(f"kafka{n} | {line}\n" for n, path in own for line in path.read_text().splitlines()))
    asked = Input((str(RECORDED / "deposed-2.0.0"), str(compose), str(FAILOVER)), each=True)
    write_events(tmp_path / "together", asked)
    monkeypatch.setattr(worker, "PIECE", 1)
    monkeypatch.setattr(by_file, "_BATCH", 100)
    write_events(tmp_path / "apart", asked)
    made = [{p.relative_to(f) for p in f.rglob("*") if p.is_file()} for f in sorted(tmp_path.glob("*/"))]
    assert made[0] == made[1]
    for path in made[0]:
        if path.suffix == ".parquet":
            together, apart = (
                pq.read_table(tmp_path / name / path, partitioning=None) for name in ("together", "apart")
            )
            assert together.equals(apart)
    assert answer(tmp_path / "together") == answer(tmp_path / "apart")


def test_a_line_without_a_time_belongs_to_the_day_before_it_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thrown = "kafka.common.StateChangeFailedException: a partition failed\n"
    timed = next(line for line in (FAILOVER / "broker-4" / "state-change.log").open() if " from " in line)
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_text(timed + thrown)
    (logs / "b.log").write_text(thrown + timed)
    for name, piece in (("together", 200_000), ("apart", 1)):
        monkeypatch.setattr(worker, "PIECE", piece)
        write_events(tmp_path / name, Input((str(logs),)))
        found = {
            (os.path.basename(row["file"]), row["line"], part.parent.name)
            for part in (tmp_path / name / "events").rglob("*.parquet")
            for row in pq.read_table(part, partitioning=None).to_pylist()
        }
        days = {f"day={timed[1:11]}", f"day={NO_DAY}"}
        assert {(file, line, day) for file, line, day in found if day not in days} == set()
        assert ("a.log", 2, f"day={timed[1:11]}") in found
        assert ("b.log", 1, f"day={NO_DAY}") in found


@pytest.mark.full
def test_several_clusters_are_audited_side_by_side(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for name, recording in (("east", FAILOVER), ("west", RECORDED / "lifecycle-2.8.2")):
        (logs / name).parent.mkdir(exist_ok=True)
        (logs / name).symlink_to(recording)
    pattern = f"{logs}/{{cluster}}/..."
    write_events(tmp_path / "table", Input((str(logs),), cluster_from=pattern))
    run = CliRunner().invoke(main, ["audit", str(tmp_path / "table")])
    assert run.exit_code == 1
    assert "east" in run.output
    assert "west" in run.output
    days = {path.parent.parent.name for path in (tmp_path / "table" / "events").rglob("*.parquet")}
    assert days == {"cluster=east", "cluster=west"}
    east, west = json.loads(answer(tmp_path / "table"))["clusters"]
    assert east["findings"] == json.loads(answer(logs / "east"))["findings"]
    assert west["findings"] == json.loads(answer(logs / "west"))["findings"]


@pytest.mark.full
def test_each_path_may_be_a_cluster(tmp_path: Path) -> None:
    given = (str(FAILOVER), str(RECORDED / "lifecycle-2.8.2"))
    write_events(tmp_path / "table", Input(given, each=True))
    assert read(tmp_path / "table").clusters == [*given]
    wanted = audit_command([*given], Options(each=True), "json").text
    assert answer(tmp_path / "table") == wanted


def test_a_damaged_file_costs_that_file(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "state-change.log").write_bytes((FAILOVER / "broker-4" / "state-change.log").read_bytes())
    (logs / "controller.log.gz").write_bytes(b"\x1f\x8b\x08\x00 no gzip")
    data = bytearray(gzip.compress((FAILOVER / "broker-2" / "state-change.log").read_bytes()))
    data[-5] ^= 1  # within the checksum
    (logs / "altered.log.gz").write_bytes(data)
    must_be_equal(logs, tmp_path / "table")


def test_every_column_is_documented_and_typed() -> None:
    assert [*COLUMNS] == SCHEMA.names
    assert {*COLUMNS} - {*FIELDS} - {*MEANING} == set()
    assert {*PLACE} <= {*MEANING}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -2], pa.int64()),
        (["a", None, "b", "a"], pa.string()),
        ([True, None, False], pa.bool_()),
        ([(1, 2), None, (), (2, 1), (1, 2)], pa.list_(pa.int64())),
        ([("a",), ("b", "a"), None, ("a",)], pa.list_(pa.string())),
        ([None, None], pa.int64()),
        ([None, None], pa.list_(pa.int64())),
    ],
)
def test_columns_come_back_from_arrow(values: list[object], kind: pa.DataType) -> None:
    there, back = Dictionary(), Dictionary()
    column = to_arrow(array_of(values, there), kind, there)
    assert column.type == kind
    assert from_arrow(pa.chunked_array([column]), back).plain(back) == values


def test_rows_that_only_seem_equal_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    members = np.array([[1, 2], [3, 4], [1, 2]])
    for multiplier in (1, 0):
        monkeypatch.setattr("isrproof.checker.audit.stored.arrow._ODD", np.uint64(multiplier))
        first, place = _different(members)
        assert np.array_equal(members[first][place], members)
        assert place[0] == place[2] != place[1]


def test_sets_of_releases_come_back_from_their_texts() -> None:
    masks = {wording.releases for row in rows().values() for wording in row.wordings} | {0}
    texts = {names(mask) for mask in masks}
    assert len(texts) == len(masks)
    assert {span(text) for text in texts - {NONE}} == masks - {0}
