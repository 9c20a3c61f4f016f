"""Failures under way: the rows are the same, or there is no table."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
import isrproof.spark
from isrproof.checker.spark_session import spark_failures
from isrproof.specs.errors import IsrproofError

from lab.spark_servers import cluster, python_without
from tests.imports import ROOT
from tests.recordings import FAILOVER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.full]


def test_workers_that_are_killed_change_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.spark.killed", str(FAILOVER), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=ROOT)
    assert run.stdout == "all equal\n", run.stderr


@pytest.mark.slow
def test_an_executor_that_is_lost_changes_nothing_or_ends_the_job_in_one_line(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    python = python_without(tmp_path, libraries=True)
    environment = {**os.environ, "PYSPARK_PYTHON": str(python)}
    with cluster(tmp_path, python) as master:
        command = [sys.executable, "-m", "tests.spark.killed", str(FAILOVER), str(notes), master]
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=600, cwd=ROOT, env=environment
        )
    same, *last = run.stdout.splitlines() or [""]
    assert same == "all equal", run.stderr
    assert len(last) == 1, run.stdout
    assert re.fullmatch("all equal|Spark failed: .* run the audit again", last[0]), last


def test_a_file_that_is_listed_and_cannot_be_read_leaves_no_table(spark: SparkSession, tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    shutil.copytree(FAILOVER, logs)
    events = isrproof.spark.events(spark, f"file://{logs}")
    gone = logs / "broker-4" / "state-change.log"
    # Spark lists the files when a DataFrame is made, and opens them when it is used.
    os.unlink(gone)
    with pytest.raises(IsrproofError, match=r"^Spark failed: .*broker-4/state-change\.log") as failed, spark_failures():
        events.write.parquet(str(out))
    assert "\n" not in str(failed.value)
    assert not [*out.rglob("*.parquet")]
    assert not (out / "_SUCCESS").exists()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", "hadoop-aws"),
        ('No FileSystem for scheme "gs"', "hadoop-aws"),
        ("[CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND] Checkpoint block rdd_18_0 not found!", "run the audit again"),
        ("java.nio.file.AccessDeniedException: s3a://logs/a.log", None),
    ],
)
def test_some_failures_are_told_with_what_to_do(said: str, told: str | None) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(IsrproofError) as failed, spark_failures():
        raise PySparkException(said)
    assert str(failed.value).startswith(f"Spark failed: {said}")
    assert (told or "") in str(failed.value).removeprefix(f"Spark failed: {said}")
    assert (told is None) == (str(failed.value) == f"Spark failed: {said}")
    assert "\n" not in str(failed.value)
