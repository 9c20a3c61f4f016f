"""`python -m benchmarks.conformance`: see the package."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import click
from isrproof.checker.conformance import cluster, read, simulate
from isrproof.checker.conformance.names import numbered
from isrproof.checker.conformance.validate import Told, validate
from isrproof.model.cluster.cluster import CLUSTER

RELEASE = "2.8"


def logged(steps: int, seed: int, folder: Path) -> int:
    """Write the log of a random run; return its number of lines."""
    room = {"outages": steps, "failovers": steps, "max_leader_epoch": 2 * steps}
    instance = CLUSTER.model(RELEASE).instance(brokers=3, partitions=1, **room)
    (run,) = simulate.random_runs(instance, [seed], steps)
    log = simulate.log_of(instance, run, CLUSTER.release(RELEASE), "TRACE", numbered(3, 1))
    simulate.write(log, folder)
    return sum(map(len, log.files.values()))


@click.command()
@click.option("--steps", multiple=True, type=int, default=(100, 300, 1_000), show_default=True, help="Of a run.")
@click.option("--seed", default=1, show_default=True)
def main(steps: tuple[int, ...], seed: int) -> None:
    """Time validate on logs of several lengths, beside reading them."""
    click.echo(
        f"{'steps':>7}{'lines':>9}{'compared':>10}{'verdict':>10}{'read s':>9}{'CPU s':>9}{'x read':>8}{'ms/line':>9}"
    )
    wrong = False
    for many in steps:
        with tempfile.TemporaryDirectory() as temporary:
            lines = logged(many, seed, Path(temporary) / "log")
            began = time.process_time()
            evidence = read.read([temporary])
            floor = time.process_time() - began
            row = CLUSTER.release(RELEASE)
            model = CLUSTER.model(RELEASE, adding=cluster.parts(evidence))
            may = cluster.possible(evidence)
            found = validate(model, row, evidence, "TRACE", Told(may), actor=CLUSTER.actor)
            cpu = time.process_time() - began
        wrong |= found.verdict != "accepted"
        click.echo(
            f"{many:>7,}{lines:>9,}{found.compared:>10,}{found.verdict:>10}{floor:>9.2f}{cpu:>9.2f}"
            f"{cpu / floor:>8.1f}{1_000 * cpu / lines:>9.2f}"
        )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
