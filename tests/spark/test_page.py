"""docs/spark.md: each of its snippets runs, one after another as in a notebook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="isrproof.spark needs PySpark")
from click.testing import CliRunner
from isrproof.spark.audit import command

from tests.imports import ROOT
from tests.recordings import FAILOVER
from tests.spark.oracle import parsed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.full]
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "spark.md").read_text(), re.DOTALL | re.MULTILINE)


def test_each_snippet_runs(spark: SparkSession, tmp_path: Path) -> None:
    names: dict[str, Any] = {"spark": spark, "LOGS": str(FAILOVER), "OUT": str(tmp_path)}
    assert len(SNIPPETS) > 5
    for snippet in SNIPPETS:
        exec(compile(snippet, "docs/spark.md", "exec"), names)
    assert spark.read.parquet(str(tmp_path / "findings")).count() == 2
    assert spark.read.parquet(str(tmp_path / "events")).count() == sum(parsed([str(FAILOVER)]).values())
    page = names["made"]._repr_html_()
    assert page.startswith("<iframe srcdoc=")
    assert "KR401" in page
    spark.catalog.dropTempView("kafka_findings")


def test_the_job_writes_the_tables_and_ends_as_the_command(spark: SparkSession, tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(FAILOVER), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1, done.output
    assert "KR401" in done.output
    assert spark.read.parquet(str(tmp_path / "out" / "findings")).count() == 2
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"findings", "happened", "partitions", "coverage"}
    again = CliRunner().invoke(command, [str(FAILOVER), "--out", str(tmp_path / "out")])
    assert again.exit_code == 2
    assert "Spark failed" in again.output
