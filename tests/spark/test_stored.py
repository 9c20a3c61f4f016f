"""The event table on Spark: the rows of its Parquet files, and a table that workers wrote."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
import isrproof.spark
from isrproof.checker.audit.command import audit_command
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.stored.schema import COLUMNS
from isrproof.checker.audit.stored.writing import Input, write_events
from isrproof.specs.errors import IsrproofError

from tests.imports import ROOT
from tests.recordings import FAILOVER, RECORDED
from tests.spark.oracle import rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.full]
KRAFT = ROOT / "traces" / "recorded-kraft" / "chaos-3.5.2"


def counted(events: DataFrame) -> Counter[str]:
    return Counter(json.dumps(row.asDict(), sort_keys=True, default=str) for row in events.collect())


def report(path: Path) -> Any:
    return audit_command([str(path)], Options(timeline=True, engine="columns"), "json").text


def test_plain_parquet_has_the_documented_columns_and_the_same_rows(spark: SparkSession, tmp_path: Path) -> None:
    table = tmp_path / "a {table}"
    clusters = {"deposed": RECORDED / "deposed-2.0.0", "a b": FAILOVER}
    for name, logs in clusters.items():
        shutil.copytree(logs, tmp_path / "logs" / name)
    write_events(table, Input((str(tmp_path / "logs"),), cluster_from=f"{tmp_path}/logs/{{cluster}}"))
    found = isrproof.spark.events_table(spark, str(table))
    assert found.columns == [*COLUMNS, "cluster", "day"]
    plain = spark.read.parquet(str(table / "events").replace("{", r"\{").replace("}", r"\}"))
    assert set(plain.columns) == set(found.columns)
    types = dict(found.drop("day").dtypes)
    assert types == dict(plain.drop("day").dtypes)
    assert counted(found) == counted(plain)
    assert {row["cluster"] for row in found.select("cluster").distinct().collect()} == set(clusters)
    part = next(table.rglob("*.parquet"))
    shutil.copy(part, part.with_name("of-no-batch.parquet"))
    assert counted(isrproof.spark.events_table(spark, str(table))) == counted(found)


def test_the_events_are_those_of_the_logs(spark: SparkSession, tmp_path: Path) -> None:
    write_events(tmp_path / "table", Input((str(FAILOVER),)))
    found = isrproof.spark.events_table(spark, str(tmp_path / "table"))
    logs = isrproof.spark.events(spark, str(FAILOVER))
    shared = [name for name in logs.columns if name in found.columns and name not in ("text", "writer")]
    assert len(shared) > len(COLUMNS) - 10
    assert rows(found.select(shared)) == rows(logs.select(shared))


def test_workers_write_the_table_that_the_command_writes(spark: SparkSession, tmp_path: Path) -> None:
    table = tmp_path / "table"
    logs = tmp_path / "logs"
    shutil.copytree(FAILOVER, logs)
    last = logs / "broker-4" / "state-change.log"
    whole = last.read_bytes()
    last.unlink()
    made = isrproof.spark.write_events(spark, str(logs), str(table), unit=1)
    assert made.new == made.files > 5
    last.write_bytes(whole)
    made = isrproof.spark.write_events(spark, str(logs), str(table), append=True)
    assert (made.new, made.known) == (1, made.files - 1)
    assert report(table) == report(logs)
    write_events(tmp_path / "here", Input((str(logs),)))
    here, there = (isrproof.spark.events_table(spark, str(tmp_path / name)) for name in ("here", "table"))
    assert counted(here.drop("file_id")) == counted(there.drop("file_id"))


def test_an_empty_table_has_the_columns_and_other_folders_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    isrproof.spark.write_events(spark, str(KRAFT / "node-1" / "metadata"), str(tmp_path / "table"))
    found = isrproof.spark.events_table(spark, str(tmp_path / "table"))
    assert (found.columns, found.count()) == ([*COLUMNS, "cluster", "day"], 0)
    with pytest.raises(IsrproofError, match="expected an event table"):
        isrproof.spark.events_table(spark, str(FAILOVER))
