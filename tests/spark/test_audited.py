"""Tables of an audit on Spark: each equals the JSON that the command line prints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
import isrproof.spark
from isrproof.checker.audit.command import audit, audit_command
from isrproof.checker.audit.options import Options
from isrproof.spark.audited import batch_from
from isrproof.specs.errors import IsrproofError

from tests.imports import ROOT
from tests.recordings import ALL, FAILOVER, RECORDED
from tests.spark.oracle import KEYS, printed, shown, shown_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
KRAFT = ROOT / "traces" / "recorded-kraft"
SAMPLE = ("lifecycle-2.8.2", "reassign-2.3.1", "unclean-3.9.1", "zombie-2.0.0")
SAMPLE_OF_KRAFT = ("migration-3.9.1", "unclean-4.4.0")
"""Recordings in the full tier; all are in the slow one."""
OF_KRAFT = sorted(str(manifest.parent) for manifest in KRAFT.glob("*/manifest.json"))


def compare(spark: SparkSession, paths: list[str]) -> dict[str, int]:
    """Compare all tables with the command's JSON; return the number of rows of each."""
    made, wanted = isrproof.spark.audit_logs(spark, paths, each=True), printed(paths)
    sizes = {}
    for table, key in KEYS.items():
        found = shown(getattr(made, table), table)
        for report in wanted:
            assert found.get(report["path"], []) == report[key], (table, report["path"])
        sizes[table] = sum(map(len, found.values()))
        assert sizes[table] == sum(len(report[key]) for report in wanted)
    return sizes


def test_rows_of_a_report_equal_the_json() -> None:
    """Without Spark, which takes twenty seconds for an audit's first tables."""
    (report,) = audit([str(FAILOVER)], Options(timeline=True, engine="columns"))
    (wanted,) = printed([str(FAILOVER)])
    for table, key in KEYS.items():
        rows = batch_from(table, {"": report}).to_pylist(maps_as_pydicts="strict")
        assert shown_rows(rows, table)[""] == wanted[key] != [], table


@pytest.mark.full
def test_tables_of_a_few_recordings_equal_the_json(spark: SparkSession) -> None:
    sizes = compare(spark, [str(FAILOVER), str(RECORDED / "deposed-2.0.0"), str(KRAFT / "chaos-3.5.2")])
    assert min(sizes.values()) > 10


@pytest.mark.full
def test_tables_of_some_recordings_equal_the_json(spark: SparkSession) -> None:
    sizes = compare(spark, [str(RECORDED / name) for name in SAMPLE] + [str(KRAFT / name) for name in SAMPLE_OF_KRAFT])
    assert sizes["findings"] > 10


@pytest.mark.slow
def test_tables_of_all_recordings_equal_the_json(spark: SparkSession) -> None:
    sizes = compare(spark, [*(str(RECORDED / name) for name in ALL), *OF_KRAFT])
    assert sizes["findings"] > 100


@pytest.mark.parametrize("every", [pytest.param(60, marks=pytest.mark.full), pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.corpus
def test_tables_of_a_part_of_the_corpus_equal_the_json(spark: SparkSession, corpus: Path, every: int) -> None:
    paths = sorted(map(str, corpus.glob("*.log*")))[::every]
    assert compare(spark, paths)["coverage"] >= len(paths) > 3


@pytest.mark.full
def test_names_that_spark_s_readers_skip_are_audited(spark: SparkSession, tmp_path: Path) -> None:
    controllers = sorted(FAILOVER.glob("*/controller.log"))
    changes = sorted(FAILOVER.glob("*/state-change.log"))
    for start, files in (("_", controllers), (".", changes)):
        for number, file in enumerate(files):
            shutil.copy(file, tmp_path / f"{start}{number}.log")
    named = sorted(map(str, tmp_path.glob("[_.]*.log")))
    audits = [
        audit_command(named, Options(timeline=True, engine=engine), "json").text for engine in ("spark", "columns")
    ]
    assert without_engine(audits[0]) == without_engine(audits[1])
    assert len(json.loads(audits[0])["files"]) == len(named)
    assert json.loads(audits[0])["findings"]


def without_engine(text: str) -> dict[str, Any]:
    return {key: value for key, value in json.loads(text).items() if key != "engine"}


@pytest.mark.full
def test_the_session_keeps_its_settings_and_its_jobs_are_described(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    before = spark.sparkContext.getLocalProperty("spark.job.description")
    assert isrproof.spark.findings(spark, str(FAILOVER)).count() == 2
    assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
    assert spark.sparkContext.getLocalProperty("spark.job.description") == before
    spark.conf.set("spark.sql.shuffle.partitions", "4")


@pytest.mark.full
def test_a_cluster_has_an_empty_name_unless_each_path_is_one(spark: SparkSession) -> None:
    assert isrproof.spark.audit_logs(spark, str(FAILOVER)).findings.select("cluster").distinct().collect() == [("",)]


@pytest.mark.full
def test_options_narrow_and_misuse_is_one_line(spark: SparkSession) -> None:
    narrowed = isrproof.spark.findings(spark, str(FAILOVER), partition="t-0")
    assert [row["entity"]["partition"] for row in narrowed.collect()] == [0]
    with pytest.raises(IsrproofError, match="no such file or directory"):
        isrproof.spark.findings(spark, "missing")
    with pytest.raises(IsrproofError, match="expected a topic, a dash and a number"):
        isrproof.spark.findings(spark, str(FAILOVER), partition="t")
