"""An audit of next to nothing in very many tasks: what Spark and the driver cost for each task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import isrproof.spark
from isrproof.checker.audit.files.spark_lines import OPENING, SPLIT
from pyspark.sql import SparkSession

from benchmarks.audit.meter import measured

_LINE = (
    "[2018-08-03 12:00:{second:02},000] TRACE [Controller id=1 epoch=1] Changed state of replica 1 for partition "
    "t-{partition} from OnlineReplica to OfflineReplica (state.change.logger)\n"
)


def show_tasks(spark: SparkSession, folder: Path, numbers: Sequence[int]) -> None:
    """Print the cost of an audit for each number of files, each of one line and a task of its own."""
    spark.conf.set(OPENING, SPLIT)  # no two files fit into one task
    click.echo("| tasks | CPU s | CPU ms per task | wall s | peak MB, all processes |\n|---|---|---|---|---|")
    for number in numbers:
        logs = folder / f"{number}-tasks"
        for each in range(number):
            log = logs / f"broker-{each % 100}" / f"state-change.log.{each // 100 + 1}"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(_LINE.format(second=each % 60, partition=each), encoding="utf-8")
        _, cost = measured(lambda logs=logs: isrproof.spark.audit_logs(spark, str(logs)).report)  # type: ignore[misc]
        per_task, memory = cost.cpu / number * 1e3, cost.memory / 1e6
        click.echo(f"| {number:,} | {cost.cpu:.1f} | {per_task:.1f} | {cost.wall:.1f} | {memory:.0f} |")
