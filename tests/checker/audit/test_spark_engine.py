"""The Spark engine says what the plain engine says, to the letter."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json

from tests.doubled import doubled

pytest.importorskip("pyspark", reason="the Spark engine needs PySpark")
pytestmark = pytest.mark.spark

RECORDED = Path(__file__).parents[3] / "traces" / "recorded"


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


def test_findings_coverage_timeline_and_lives_are_equal(odd: Path) -> None:
    paths = [
        str(RECORDED / "failover-on-leader-2.0.0-kill"),
        str(RECORDED / "chaos-2.3.1-1"),
        str(RECORDED / "lifecycle-2.8.2"),
        *files(odd),
    ]
    assert said("spark", *paths) == said("python", *paths)


@pytest.mark.parametrize(("few", "together"), [(0, 500_000_000), (200_000, 500_000_000), (200, 50_000), (200, 1)])
def test_what_rules_take_from_memory_is_equal(
    few: int, together: int, odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of larger logs the events come as columns, in several jobs; lines of no frequent wording are parsed here while
    they are few, else on Spark."""
    from isrproof.checker.audit.files import spark as spark_engine
    from isrproof.checker.audit.files import spark_arrow

    monkeypatch.setattr(spark_engine, "SMALL", 0)
    monkeypatch.setattr(spark_arrow, "FEW", few)
    monkeypatch.setattr(spark_arrow, "_TOGETHER", together)
    paths = [str(RECORDED / "failover-on-leader-2.0.0-kill"), str(RECORDED / "lifecycle-2.8.2-trace"), *files(odd)]
    assert said("spark", *paths) == said("python", *paths)


def test_a_job_reads_files_of_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    from isrproof.checker.audit.files import spark_arrow

    monkeypatch.setattr(spark_arrow, "_TOGETHER", 10)
    assert spark_arrow.together([4, 6, 1, 0, 12, 3, 9]) == [
        range(2),
        range(2, 4),
        range(4, 5),
        range(5, 6),
        range(6, 7),
    ]
    assert spark_arrow.together([12]) == [range(1)]


def test_a_layout_of_ones_own_is_read_alike(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from isrproof.checker.audit.files import spark as spark_engine

    monkeypatch.setattr(spark_engine, "SMALL", 0)
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


def test_what_is_read_in_many_jobs_is_equal(odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest logs are numbered and counted on Spark; here small ones are large."""
    from isrproof.checker.audit.files import spark as spark_engine

    monkeypatch.setattr(spark_engine, "SMALL", 0)
    monkeypatch.setattr(spark_engine, "IN_MEMORY", 0)
    paths = [str(RECORDED / "failover-on-leader-2.0.0-kill"), *files(odd)]
    assert said("spark", *paths) == said("python", *paths)


@pytest.mark.parametrize("closer", [0, 200_000])
def test_rules_on_spark_give_the_same_findings(closer: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With many events the rules stay on Spark, and so do the partitions that findings are about; here few are many."""
    from isrproof.checker.audit.files import spark as spark_engine
    from isrproof.checker.audit.table import spark_table

    monkeypatch.setattr(spark_engine, "FEW", 0)
    monkeypatch.setattr(spark_engine, "SMALL", 0)
    monkeypatch.setattr(spark_engine, "IN_MEMORY", 0)
    monkeypatch.setattr(spark_table, "FEW", closer)
    doubled(RECORDED / "failover-on-leader-2.2.2-kill", tmp_path)
    paths = [str(RECORDED / "failover-on-leader-2.0.0-kill"), str(RECORDED / "reassign-2.3.1"), str(tmp_path)]
    assert said("spark", *paths) == said("python", *paths)


def test_tracks_neither_move_nor_sort_what_is_kept() -> None:
    """Lines are placed and sorted once, which is what a large log's audit costs most."""
    from isrproof.checker.audit.table.protocol import Column
    from isrproof.checker.audit.table.spark_table import SparkTable
    from isrproof.checker.spark_session import session
    from pyspark.sql import functions as F  # noqa: N812

    spark = session()
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    lines = spark.range(1000).select((F.col("id") % 7).alias("partition"), F.col("id").alias("at"))
    kept = SparkTable(lines).kept(("partition",), ("partition", "at"))
    for table in (kept, kept.kept(("partition",), ("partition", "at"))):
        plan = table.along(("partition",), ("at",), before=Column("previous", "at")).frame._jdf.queryExecution()
        told = plan.executedPlan().toString()
        assert [step for step in ("Window", "Exchange", "Sort") if step in told] == ["Window"]


def test_rows_alike_are_told_on_spark_as_in_python() -> None:
    from isrproof.checker.audit.table.protocol import PythonTable
    from isrproof.checker.audit.table.spark_table import SparkTable
    from isrproof.checker.spark_session import session

    rows = [
        {"key": key, "at": at, "isr": isr}
        for key, at, isr in (
            ("a", 1, [1]),
            ("a", 2, [1]),
            ("a", 3, [1, 2]),
            ("a", 4, None),
            ("a", 5, None),
            ("b", 6, None),
            (None, 7, None),
            ("b", None, None),
        )
    ]
    frame = session().createDataFrame([tuple(row.values()) for row in rows], "key string, at bigint, isr array<bigint>")
    told = [
        {(row["key"], row["at"]): row["again"] for row in table.kept(("key",), ("at",), alike=("isr",)).rows()}
        for table in (SparkTable(frame.repartition(5)), PythonTable(rows))
    ]
    assert told[0] == told[1]
    assert sum(told[1].values()) == 2


def test_who_stops_reading_does_not_wait_for_spark() -> None:
    """A job is told to stop until it does: at first it may only have been planned."""
    from isrproof.checker.audit.files.spark_in_memory import _ahead

    class Endless:
        stops = 0

        def read(self, job: range) -> list[Any]:
            while job.start and self.stops < 3:
                time.sleep(0.01)
            return [job]

        def stop(self) -> None:
            self.stops += 1

    reader = Endless()
    ahead: Any = _ahead(reader, [range(1), range(1, 2)])
    assert next(ahead) == range(1)
    ahead.close()
    assert reader.stops == 3
    assert list(_ahead(reader, [range(1), range(1, 2)])) == [range(1), range(1, 2)]
    assert reader.stops == 3


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


def test_what_only_spark_can_reach_needs_spark(tmp_path: Path) -> None:
    from isrproof.specs.errors import IsrproofError

    with pytest.raises(IsrproofError, match="only Spark reads other file systems"):
        audit([f"file://{tmp_path}"], Options(engine="python"))
    (tmp_path / "notes.md").write_text("no log")
    with pytest.raises(IsrproofError, match="expected log files"):
        audit([f"file://{tmp_path}"], Options())
    with pytest.raises(IsrproofError, match="Spark could not do its part"):
        audit([f"file://{tmp_path}/none"], Options())


def test_a_file_that_cannot_be_read_is_told_alike_among_others(tmp_path: Path) -> None:
    shutil.copytree(RECORDED / "failover-on-leader-2.3.1-kill", tmp_path / "logs")
    log = next((tmp_path / "logs" / "broker-1").glob("state-change.log"))
    log.with_name("state-change.log.1").write_bytes(b"\0" + log.read_bytes())
    log.with_name("state-change.log.2").write_bytes(log.read_bytes())
    told = [as_json(*audit([str(tmp_path)], Options(engine=engine, timeline=True))) for engine in ("spark", "python")]
    assert told[0] == told[1]
    assert told[0]["verdict"] == "incomplete"


def test_a_folder_of_unreadable_files_is_told(tmp_path: Path) -> None:
    from isrproof.specs.errors import IsrproofError

    (tmp_path / "binary.log").write_bytes(b"\0" * 100)
    with pytest.raises(IsrproofError, match="binary"):
        audit([str(tmp_path)], Options(engine="spark"))
    shutil.rmtree(tmp_path)
