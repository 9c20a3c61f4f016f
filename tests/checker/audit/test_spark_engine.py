"""The Spark engine says what the plain engine says, to the letter."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.specs.errors import IsrproofError

from tests import engines
from tests.doubled import doubled
from tests.recordings import RECORDED

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
pytestmark = pytest.mark.spark


def files(folder: Path) -> list[str]:
    """One of them behind a link, and out of it again by dots."""
    back = f"../{(folder / 'link').readlink().name}/linked.log"
    return [*sorted(str(path) for path in folder.iterdir() if path.is_file()), str(folder / "link" / back)]


def said(engine: str, *paths: str) -> list[dict[str, Any]]:
    return [as_json(report) for report in audit(paths, Options(engine=engine, each=True, timeline=True))]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files as one finds them: odd names, CRLF, returns within lines, bad bytes, gzip, cut gzip, no Kafka
    line, empty, with torn lines, joined the wrong way round."""
    folder = tmp_path_factory.mktemp("odd")
    log = (RECORDED / "failover-on-leader-2.0.0-kill" / "broker-4" / "state-change.log").read_bytes()
    (folder / "a b [1] {x}.log").write_bytes(log.replace(b"\n", b"\r\n"))
    (folder / "bad.log").write_bytes(
        b"\xff\xfe\xfd not utf-8\n"[2:] + log + b"[2026-11-21 20:24:36,000] INFO \xc3\x28 (state.change.logger)\n"
    )
    (folder / "returns.log").write_bytes(log.replace(b"partition t-", b"partition t\ru-"))
    (folder / "state-change.log.gz").write_bytes(gzip.compress(log))
    whole = gzip.compress((RECORDED / "reassign-2.3.1" / "broker-1" / "state-change.log").read_bytes())
    (folder / "cut.log.gz").write_bytes(whole[: len(whole) * 3 // 4])
    (folder / "other.log").write_bytes(b"hello\nworld\n")
    (folder / "empty.log").write_bytes(b"")
    lines = (RECORDED / "reassign-2.3.1" / "broker-2" / "state-change.log").read_bytes().splitlines(keepends=True)
    cuts = zip(range(20, len(lines), 40), (4, 15, 28, 60, 110), strict=False)
    torn = [*lines[:99], b"\0" * 300 + lines[99], *lines[100:]]
    for at, kept in cuts:
        torn[at : at + 2] = [torn[at][:kept] + (b"\n" if kept % 3 else b"") + torn[at + 1]]
    (folder / "torn.log").write_bytes(b"".join(torn))
    (folder / "joined.log").write_bytes(b"".join([*lines[-60:], *lines[:-60]]))
    there = tmp_path_factory.mktemp("there")
    (there / "linked.log").write_bytes(log)
    (folder / "link").symlink_to(there)
    return folder


@pytest.mark.full
def test_what_is_asked_for_is_equal_and_what_is_not_there_is_told_alike() -> None:
    path = str(RECORDED / "chaos-1.1.1-2")
    since = Options.of(since="2026-11-21 21:06:08").since
    for asked in ({"partition": ("d", 0)}, {"since": since}):
        python, spark = (audit([path], Options(engine=engine, **asked)) for engine in ("python", "spark"))  # type: ignore[arg-type]
        assert [as_json(report) for report in spark] == [as_json(report) for report in python]
        assert python[0].findings
    for asked in ({"partition": ("dd", 0)}, {"partition": ("d", 7)}, {"until": since - 10**9 if since else None}):
        said_by = []
        for engine in ("python", "spark"):
            with pytest.raises(IsrproofError) as error:
                audit([path], Options(engine=engine, **asked))  # type: ignore[arg-type]
            said_by.append(str(error.value))
        assert len(set(said_by)) == 1


@pytest.mark.parametrize(
    "recordings",
    [
        ["failover-on-leader-2.0.0-kill"],
        pytest.param(["failover-on-leader-2.0.0-kill", "chaos-2.3.1-1", "lifecycle-2.8.2"], marks=pytest.mark.full),
    ],
)
def test_findings_coverage_timeline_and_lives_are_equal(recordings: list[str], odd: Path) -> None:
    paths = [*(str(RECORDED / name) for name in recordings), *files(odd)]
    assert said("spark", *paths) == said("python", *paths)


@pytest.mark.full
@pytest.mark.parametrize(
    "recording", ["failover-on-leader-2.0.0-kill", pytest.param("lifecycle-2.8.2-trace", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    ("buckets", "piece"),
    [(7, 100), *(pytest.param(*cut, marks=pytest.mark.slow) for cut in ((1, 200_000), (2, 1), (100, 7)))],
)
def test_however_lines_and_partitions_are_cut_it_is_equal(buckets: int, piece: int, recording: str, odd: Path) -> None:
    """Columns on this machine, too, of parts of files."""
    paths = [str(RECORDED / recording), *files(odd)]
    plain = engines.reference(paths)
    assert engines.spark(paths, buckets=buckets, piece=piece) == plain
    assert engines.columns(paths, buckets=buckets, piece=piece, part=10_000) == plain
    assert any(report["findings"] for report in plain)


@pytest.mark.full
def test_what_is_printed_twice_is_equal(tmp_path: Path) -> None:
    doubled(RECORDED / "failover-on-leader-2.2.2-kill", tmp_path)
    (plain,) = engines.reference([tmp_path])
    assert engines.spark([tmp_path], buckets=3, piece=50) == [plain]
    assert [note for note in plain["notes"] if "twice" in note]


@pytest.mark.full
def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    """Spark would know what it kept of the same path."""
    found = []
    for name in ("failover-on-leader-2.0.0-kill", "failover-on-leader-2.3.1-kill"):
        shutil.copytree(RECORDED / name, tmp_path / "logs", dirs_exist_ok=True)
        (report,) = audit([str(tmp_path)], Options(engine="spark"))
        found.append(report.verdict)
    assert found == ["illegal", "conforms"]


@pytest.mark.full
def test_a_layout_of_ones_own_is_read_alike(tmp_path: Path) -> None:
    log = (RECORDED / "failover-on-leader-2.0.0-kill" / "broker-4" / "state-change.log").read_text()
    swapped = re.sub(r"(?m)^\[(.{23})\] ([A-Z]+) (.*) \(([^ ]*)\)$", r"\2|\1|\4|\3", log)
    (tmp_path / "own.log").write_text(swapped)
    told = [
        as_json(report)
        for engine in ("spark", "python")
        for report in audit([str(tmp_path)], Options(engine=engine, layout="%p|%d|%c|%m"))
    ]
    assert told[0] == told[1]
    assert told[0]["coverage"]["understood"] > 20


@pytest.mark.full
def test_what_only_spark_can_reach_is_read_alike(tmp_path: Path) -> None:
    """A directory, a file and a glob by their URI: other names, the same report, excerpts too."""
    shutil.copytree(RECORDED / "failover-on-leader-2.0.0-kill", tmp_path / "a {1} b%20c")
    (tmp_path / "a {1} b%20c" / "notes.md").write_text("no log")
    folder = f"file://{tmp_path}/a {{1}} b%20c"
    glob = f"file://{tmp_path}/a*/broker-*/*.log"
    single = f"file://{tmp_path}/a*/broker-4/state-change.log"
    escaped = folder.replace("{", "\\{").replace("}", "\\}")
    here = folder.removeprefix("file://")
    for there, same in (escaped, here), (glob, here), (single, f"{here}/broker-4/state-change.log"):
        told = json.dumps(said("spark", there)).replace("file://", "")
        assert json.loads(told) == json.loads(json.dumps(said("python", same)))


@pytest.mark.full
def test_what_only_spark_can_reach_needs_spark(tmp_path: Path) -> None:
    from isrproof.specs.errors import IsrproofError

    with pytest.raises(IsrproofError, match="only Spark reads other file systems"):
        audit([f"file://{tmp_path}"], Options(engine="python"))
    (tmp_path / "notes.md").write_text("no log")
    with pytest.raises(IsrproofError, match="expected log files"):
        audit([f"file://{tmp_path}"], Options())
    with pytest.raises(IsrproofError, match="Spark failed"):
        audit([f"file://{tmp_path}/none"], Options())


@pytest.mark.full
def test_a_file_that_cannot_be_read_is_told_alike_among_others(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / "failover-on-leader-2.3.1-kill", tmp_path / "logs")
    log = next((tmp_path / "logs" / "broker-1").glob("state-change.log"))
    log.with_name("state-change.log.1").write_bytes(b"\0" + log.read_bytes())
    log.with_name("state-change.log.2").write_bytes(log.read_bytes())
    told = [as_json(*audit([str(tmp_path)], Options(engine=engine, timeline=True))) for engine in ("spark", "python")]
    assert told[0] == told[1]
    assert told[0]["verdict"] == "incomplete"


@pytest.mark.full
def test_a_folder_of_unreadable_files_is_told(tmp_path: Path) -> None:
    from isrproof.specs.errors import IsrproofError

    (tmp_path / "binary.log").write_bytes(b"\0" * 100)
    with pytest.raises(IsrproofError, match="binary"):
        audit([str(tmp_path)], Options(engine="spark"))
    shutil.rmtree(tmp_path)


@pytest.mark.full
def test_workers_look_for_no_garbage_among_modules() -> None:
    """PySpark collects after each task; what was imported before the first one is left out."""
    from isrproof.checker.spark_session import session

    def frozen(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc

        yield pa.record_batch([pa.array([gc.get_freeze_count()])], ["objects"])

    (row,) = session().range(0, 1, 1, 1).mapInArrow(frozen, "objects long").collect()
    assert row["objects"] > 100_000
