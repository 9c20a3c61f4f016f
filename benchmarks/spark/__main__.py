"""`python -m benchmarks.spark`: see the package."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import click
import isrproof.spark
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.spark_session import session, using

from benchmarks.audit.meter import Cost, measured
from benchmarks.audit.readings import bare_count, extraction, faults_found
from benchmarks.spark.memory import peaks
from benchmarks.spark.sessions import SESSIONS, bytes_shuffled
from benchmarks.spark.shapes import shapes
from benchmarks.spark.tasks import show_tasks
from lab.cluster.generate import Generated, generate
from lab.cluster.state import Fault

Reading = Callable[[Path], Any]


def on_spark(folder: Path) -> list[Fault]:
    """Audit on Spark, with the states of partitions."""
    return faults_found(folder, isrproof.spark.audit_logs(session(), str(folder)).report.findings)


def columns(folder: Path) -> list[Fault]:
    """Audit in columns, in processes of this machine, with the same."""
    (report,) = audit([str(folder)], Options(engine="columns", timeline=True, jobs=2))
    return faults_found(folder, report.findings)


def of_function(folder: Path) -> None:
    """Make all events with `events`; nothing keeps them."""
    isrproof.spark.events(session(), str(folder)).write.format("noop").mode("overwrite").save()


def of_split_files(folder: Path) -> None:
    """Make all events with `events`, of files that Spark splits."""
    isrproof.spark.events(session(), str(folder), whole=0).write.format("noop").mode("overwrite").save()


def of_format(folder: Path) -> None:
    """Make all events with the format "isrproof"."""
    isrproof.spark.register(session())
    session().read.format("isrproof").load(str(folder)).write.format("noop").mode("overwrite").save()


def of_table(folder: Path) -> None:
    """Write an event table in tasks."""
    with tempfile.TemporaryDirectory() as table:
        isrproof.spark.write_events(session(), str(folder), f"{table}/table")


_READINGS: Mapping[str, Mapping[str, Reading]] = {
    "audit": {
        "DuckDB, one regular expression": extraction,
        "audit, columns, 2 processes": columns,
        "Spark, bare count": bare_count,
        "audit, Spark": on_spark,
    },
    "events": {
        "Spark, bare count": bare_count,
        "`events`": of_function,
        "`events`, split files": of_split_files,
        'format "isrproof"': of_format,
        "`write_events`": of_table,
    },
}


_SHAPES, _TASKS = "shapes", "tasks"
_OF_SHAPES: Mapping[str, Reading] = {"columns": columns, "Spark": on_spark, "`events`": of_function}


@click.command()
@click.argument("what", type=click.Choice([*_READINGS, _SHAPES, _TASKS]))
@click.option("--size", default=0.02, show_default=True, help="GB.")
@click.option("--rounds", default=1, show_default=True, help="Rounds after the one that warms up; medians are shown.")
@click.option("--on", type=click.Choice([*SESSIONS]), default="local", show_default=True, help="Where Spark runs.")
@click.option("--tasks", default=(1_000, 10_000), multiple=True, show_default=True, help="For `tasks`: how many.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the logs go (default: a temporary folder).")
@click.option("--seed", default=1, show_default=True)
def main(what: str, size: float, rounds: int, on: str, tasks: Sequence[int], folder: Path | None, seed: int) -> None:
    """Measure each reading of one generated log, in one run."""
    with tempfile.TemporaryDirectory() as temporary, SESSIONS[on](Path(temporary)) as spark, using(spark):
        here, wrong = folder or Path(temporary), list[str]()
        if what == _TASKS:
            show_tasks(spark, here, tasks)
        else:
            wrong = _compared(what, generate(here / f"{size:g}-gb", size, seed), rounds, Path(temporary))
        click.echo("\npeak MB: " + ", ".join(f"{role} {peak / 1e6:.0f}" for role, peak in sorted(peaks().items())))
        shuffled = bytes_shuffled(spark)
        if shuffled is not None:
            click.echo(f"bytes shuffled, all jobs: {shuffled / 1e6:.1f} MB")
    if wrong:
        click.echo(f"\nnot the findings that were planted: {', '.join(wrong)}", err=True)
    sys.exit(1 if wrong else 0)


def _compared(what: str, made: Generated, rounds: int, temporary: Path) -> list[str]:
    """Print the table of all readings; return those that found anything other than the planted faults."""
    click.echo(f"{made.size / 1e9:.2f} GB, {made.lines:,} lines, {len(made.faults)} findings planted\n")
    click.echo("| reading | CPU s | CPU s per GB | wall s | peak MB, all processes |\n|---|---|---|---|---|")
    if what != _SHAPES:
        return [name for name, reading in _READINGS[what].items() if not _shown(name, reading, made, rounds)]
    for shape, where in shapes(made.folder, temporary):
        for name, reading in _OF_SHAPES.items():
            _shown(f"{shape}: {name}", partial(_forgotten, reading, where), made, rounds)
    return []


def _forgotten(reading: Reading, where: Path, _: Path) -> None:
    """Read a shape of the log, whose findings are at other places than in the log as it was made."""
    reading(where)


def _shown(name: str, reading: Reading, made: Generated, rounds: int) -> bool:
    """Print the row of a reading; return False if an audit found anything other than the planted faults."""
    right, costs = True, list[Cost]()
    for turn in range(rounds + 1):
        result, cost = measured(lambda: reading(made.folder))
        if turn or not rounds:
            costs.append(cost)
        right &= not isinstance(result, list) or sorted(result) == sorted(made.faults)
    cpu, wall = (median(getattr(cost, name) for cost in costs) for name in ("cpu", "wall"))
    memory = max(cost.memory for cost in costs)
    click.echo(f"| {name} | {cpu:.1f} | {cpu / made.size * 1e9:.0f} | {wall:.1f} | {memory / 1e6:.0f} |")
    return right


if __name__ == "__main__":
    main()
