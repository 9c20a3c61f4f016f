"""`python -m benchmarks.explore`: see the package."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click

ISRS = ("--property=WeakIsr", "--property=StrongIsr")
LARGER = ("--set=log_size=3", "--set=max_records=3")
LARGEST = (*LARGER, "--set=max_leader_epoch=3")


@dataclass(frozen=True)
class Run:
    """A run of `isrproof explore kip320`: the number of states that it must find, and the goal in seconds and MB."""

    title: str
    options: tuple[str, ...]
    states: int
    seconds: float
    megabytes: int | None = None


PLAIN = "--no-symmetry"

# A goal of a run with symmetry, the default, is half of that without: "2x to 5x better". The states are the same.
RUNS = (
    Run("2/3/3/2", (PLAIN, "--set=replicas=2", *LARGER, *ISRS), 21_493, 0.4),
    Run("3/2/2/1", (PLAIN, "--set=max_leader_epoch=1", *ISRS), 39_619, 0.4),
    Run("3/2/2/1 all properties", (PLAIN, "--set=max_leader_epoch=1"), 39_619, 0.4),
    Run("3/2/2/2", (PLAIN, *ISRS), 737_794, 0.8, 150),
    Run("3/2/2/2 all properties", (PLAIN,), 737_794, 0.8, 150),
    Run("3/2/2/2 symmetry", ISRS, 737_794, 0.4, 75),
    Run("3/3/3/2", (PLAIN, *LARGER, *ISRS), 4_093_531, 4, 300),
    Run("3/3/3/2 all properties", (PLAIN, *LARGER), 4_093_531, 4, 300),
    Run("3/3/3/2 symmetry", (*LARGER, *ISRS), 4_093_531, 2, 150),
)
LARGE = (
    Run("3/3/3/3", (PLAIN, *LARGEST, *ISRS), 64_739_578, 60, 3000),
    Run("3/3/3/3 symmetry", (*LARGEST, *ISRS), 64_739_578, 30, 1500),
)


@dataclass(frozen=True)
class Cost:
    """CPU seconds, wall-clock seconds, peak MB."""

    cpu: float
    wall: float
    megabytes: float


def measured(command: list[str]) -> tuple[Cost, str]:
    """Run one process; return its cost, and its output."""
    # As installed, Python keeps its bytecode; compiling the modules anew would cost more than a small search.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    read, write = os.pipe()
    started = time.perf_counter()
    to_pipe = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read)]
    child = os.posix_spawn(command[0], command, environment, file_actions=to_pipe)
    os.close(write)
    with os.fdopen(read) as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        raise click.ClickException(f"{' '.join(command)}: expected exit code 0, got status {status}: {output}")
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / scale), output


def median_of(costs: list[Cost]) -> Cost:
    """Return the medians, each by itself."""
    return Cost(*(median(getattr(each, name) for each in costs) for name in ("cpu", "wall", "megabytes")))


def explored(run: Run) -> Cost:
    """Return the cost of a run.

    Raises:
        ClickException: it finds a wrong number of states, or a violation.
    """
    program = str(Path(sys.executable).with_name("isrproof"))
    cost, output = measured([program, "explore", "kip320", *run.options, "--json"])
    found: dict[str, Any] = json.loads(output)
    if (found["verdict"], found["distinct"]) != ("holds", run.states):
        raise click.ClickException(
            f"{run.title}: expected holds, {run.states}; got {found['verdict']}, {found['distinct']}"
        )
    return cost


@click.command()
@click.option("--large", is_flag=True, help="Also the instances that take a minute.")
@click.option("--rounds", default=3, show_default=True, help="How often each is measured; the medians are shown.")
def main(large: bool, rounds: int) -> None:
    """Time the explorer beside its goals, and beside a Python that only imports NumPy."""
    click.echo(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, medians of {rounds} rounds")
    head = f"{'kip320':<24}{'states':>11}{'goal s':>8}{'CPU s':>8}{'ratio':>7}{'wall s':>8}"
    click.echo(f"{head}{'goal MB':>9}{'MB':>6}{'floor s':>9}{'x floor':>9}")
    for run in RUNS + (LARGE if large else ()):
        costs, floors = [], []
        for _ in range(1 if run in LARGE else rounds):
            floors.append(measured([sys.executable, "-c", "import numpy"])[0])
            costs.append(explored(run))
        cost, floor = median_of(costs), median_of(floors)
        click.echo(
            f"{run.title:<24}{run.states:>11,}{run.seconds:>8g}{cost.cpu:>8.2f}{cost.cpu / run.seconds:>7.2f}"
            f"{cost.wall:>8.2f}{run.megabytes or '':>9}{cost.megabytes:>6.0f}"
            f"{floor.cpu:>9.2f}{cost.cpu / floor.cpu:>9.1f}"
        )


if __name__ == "__main__":
    main()
