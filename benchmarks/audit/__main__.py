"""`python -m benchmarks.audit`: see the package."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click

from lab.cluster.generate import Generated, generate, generate_with_brokers
from lab.cluster.state import Fault

from .meter import Cost, measured
from .readings import (
    audit_in_process,
    audit_process,
    audit_process_on_spark,
    bare_count,
    count_process,
    extraction,
    extraction_process,
)

_COUNT, _EXTRACTION, _AUDIT = "Spark: read.text().count()", "DuckDB: regex extraction", "isrproof audit"
_ON_SPARK = "isrproof audit, Spark"
# Processes first: then this one has no Java of its own yet, whose memory would be counted.
_READINGS: dict[str, dict[str, Callable[[Path], Any]]] = {
    "as a process": {
        _COUNT: count_process,
        _EXTRACTION: extraction_process,
        _AUDIT: audit_process,
        _ON_SPARK: audit_process_on_spark,
    },
    "from Python, warmed up": {_COUNT: bare_count, _EXTRACTION: extraction, _AUDIT: audit_in_process},
}


@click.command()
@click.option("--size", "sizes", type=float, multiple=True, default=(0.1,), help="GB; may be given several times.")
@click.option("--rounds", default=3, show_default=True, help="How often each is measured; the medians are shown.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the logs go (default: a temporary folder).")
@click.option("--seed", default=1, show_default=True)
@click.option("--brokers", is_flag=True, help="Then also logs of the same size in which brokers write their half.")
def main(sizes: tuple[float, ...], rounds: int, folder: Path | None, seed: int, brokers: bool) -> None:
    """Time the audit of generated logs beside a bare count and a regex extraction, in one run."""
    wrong = False
    with tempfile.TemporaryDirectory() as temporary:
        for size in sizes:
            here = (folder or Path(temporary)) / f"{size:g}-gb"
            for made in (generate(here, size, seed), *_with_brokers(here, size, seed, brokers)):
                click.echo(f"{made.size / 1e9:.2f} GB, {made.lines:,} lines, {len(made.faults)} findings planted")
                wrong |= _compare(made, rounds)
    sys.exit(1 if wrong else 0)


def _with_brokers(here: Path, size: float, seed: int, wanted: bool) -> Iterator[Generated]:
    if wanted:
        yield generate_with_brokers(here.with_name(f"{here.name}-with-brokers"), size, seed)


def _compare(made: Generated, rounds: int) -> bool:
    """Print two tables; return True if an audit found anything other than the planted faults."""
    wrong = False
    for title, readings in _READINGS.items():
        costs: dict[str, list[Cost]] = {name: [] for name in readings}
        for turn in range(rounds + 1):
            for name, reading in readings.items():
                result, cost = measured(lambda reading=reading: reading(made.folder))  # type: ignore[misc]
                if turn:  # round 0 warms up this process, and the files
                    costs[name].append(cost)
                if isinstance(result, list):
                    wrong |= _differs(result, made)
        _print(title, costs)
    return wrong


def _print(title: str, costs: Mapping[str, Sequence[Cost]]) -> None:
    count, extract = (median(cost.wall for cost in costs[name]) for name in (_COUNT, _EXTRACTION))
    click.echo(f"{title:28}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'/ count':>9}{'/ DuckDB':>9}")
    for name, found in costs.items():
        wall, cpu = median(cost.wall for cost in found), median(cost.cpu for cost in found)
        memory = max(cost.memory for cost in found) / 1e6
        click.echo(f"{name:28}{wall:9.1f}{cpu:9.1f}{memory:9.0f}{wall / count:9.1f}{wall / extract:9.2f}")


def _differs(found: list[Fault], made: Generated) -> bool:
    missed, more = set(made.faults) - set(found), set(found) - set(made.faults)
    for title, faults in (("missed", missed), ("not planted", more)):
        for fault in sorted(faults)[:10]:
            click.echo(f"{title}: {fault.rule} {fault.file}:{fault.line}", err=True)
    return bool(missed or more)


if __name__ == "__main__":
    main()
