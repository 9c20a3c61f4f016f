"""The format "isrproof": the rows of the functions, in SQL and in a stream, too."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
import isrproof.spark
from isrproof.spark.registered import Asked, packed
from isrproof.spark.tables import tables
from isrproof.specs.errors import IsrproofError

from tests.recordings import FAILOVER
from tests.spark.oracle import parsed, printed, rows, shown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.full
def test_the_format_has_the_rows_of_the_functions(spark: SparkSession) -> None:
    isrproof.spark.register(spark)
    read = spark.read.format("isrproof")
    assert rows(read.load(str(FAILOVER))) == parsed([str(FAILOVER)])
    found = shown(read.option("table", "findings").load(str(FAILOVER)), "findings")
    assert found[""] == printed([str(FAILOVER)])[0]["findings"]


@pytest.mark.full
def test_a_view_of_the_format_is_made_in_sql(spark: SparkSession) -> None:
    isrproof.spark.register(spark)
    spark.sql(f"CREATE TEMPORARY VIEW of_kafka USING isrproof OPTIONS (table 'findings', path '{FAILOVER}')")
    assert [row["n"] for row in spark.sql("SELECT count(*) AS n FROM of_kafka WHERE rule = 'KR401'").collect()] == [2]
    spark.catalog.dropTempView("of_kafka")


@pytest.mark.full
def test_a_stream_reads_each_closed_file_once(spark: SparkSession, tmp_path: Path) -> None:
    isrproof.spark.register(spark)
    logs, out = tmp_path / "logs", str(tmp_path / "out")
    logs.mkdir()
    files = sorted(FAILOVER.rglob("state-change.log"))

    def run() -> None:
        stream = spark.readStream.format("isrproof").option("settled", "0").load(str(logs))
        writer = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        assert writer.trigger(availableNow=True).start(out).awaitTermination(300)

    for number, file in enumerate(files):
        shutil.copy(file, logs / f"{number}.log")
        run()
    assert rows(spark.read.parquet(out)) == parsed([str(logs)])
    run()
    assert spark.read.parquet(out).count() == sum(parsed([str(logs)]).values())


@pytest.mark.full
def test_a_stream_of_spark_s_own_files_is_parsed(spark: SparkSession, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    files = (
        spark.readStream.format("binaryFile")
        .schema("path string, modificationTime timestamp, length long, content binary")
        .option("recursiveFileLookup", "true")
        .load(str(FAILOVER))
    )
    writer = isrproof.spark.parse(files).writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "c"))
    assert writer.trigger(availableNow=True).start(out).awaitTermination(300)
    assert spark.read.parquet(out).count() == sum(parsed([str(FAILOVER)]).values())


def test_options_are_checked() -> None:
    for options, match in (
        ({"table": "event", "path": "/logs"}, "Unknown table 'event'"),
        ({}, "expected a path"),
        ({"path": "s3a://logs/x", "table": "findings"}, r"use isrproof\.spark\.findings"),
    ):
        with pytest.raises(IsrproofError, match=match):
            Asked.of(options)
    with pytest.raises(IsrproofError, match="a stream reads events or records"):
        Asked.of({"path": "/logs", "table": "coverage"}).of_files()
    assert set(tables()) >= {Asked.of({"path": "/logs"}).table}


def test_small_files_share_a_task(tmp_path: Path) -> None:
    paths = []
    for number in range(10):
        path = tmp_path / f"{number}.log"
        path.write_bytes(b"x")
        paths.append(str(path))
    assert [*packed(paths)] == [tuple(paths)]
