"""Random runs of the model `cluster`, of any release and of any of its parts, and the logs that they write."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from isrproof.checker.conformance import simulate
from isrproof.checker.conformance.names import numbered
from isrproof.checker.conformance.written import Writer
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.protocol import Instance

RELEASES = ("1.1", "2.0.0", "2.1", "2.2", "2.3", "2.4.1", "2.6.1", "2.8", "3.3.2", "3.9")
PARTS = (
    "controlled shutdown",
    "deletion",
    "preferred elections",
    "requests",
    "ISR changes",
    "unclean elections",
)
SELDOM_PARTS = (
    "metadata caches",
    "reassignment",
    "one or three replicas",
    "log directories",
    "elections of some leaders",
)
UNCLEAN_PARTS = ("unclean elections switched on", "unclean elections asked for")
ROOM = {
    "brokers": 3,
    "partitions": 2,
    "outages": 8,
    "failovers": 4,
    "max_leader_epoch": 80,
    "most_requests": 6,
    "isr_changes": 12,
    "reassignments": 4,
    "directory_failures": 3,
    "elections": 4,
}
STEPS = 60
OF_AN_INSTANCE = 25
"""So many runs are of one release and of the same parts: what is compiled for an instance serves all of them."""


def instance_of(number: int, more: Sequence[str] = ()) -> tuple[str, Instance]:
    """A release, and an instance with some of the parts, and with `more`."""
    dice = random.Random(number)
    release = dice.choice(RELEASES)
    parts = [each for each in PARTS if dice.random() < 0.5]
    parts += [each for each in SELDOM_PARTS if dice.random() < 0.3]
    model = CLUSTER.model(release, adding=[*parts, *more])
    return release, model.instance(**{each.name: ROOM[each.name] for each in model.settings})


def simulated(seeds: Sequence[int], folder: Path, more: Sequence[str] = ()) -> Iterator[tuple[int, str, Path]]:
    """The logs of random runs at TRACE or INFO, but for those without a line: with their seeds and releases."""
    for number, own in groupby(seeds, lambda seed: seed // OF_AN_INSTANCE):
        release, instance = instance_of(number, more)
        writer, of_instance = Writer(instance, CLUSTER.release(release), numbered(3, 2)), list(own)
        for seed, run in zip(of_instance, simulate.random_runs(instance, of_instance, STEPS), strict=True):
            log = simulate.log_by(writer, run, random.Random(seed).choice(["TRACE", "INFO"]))
            if log.files:
                simulate.write(log, folder / f"run-{seed}")
                yield seed, release, folder / f"run-{seed}"
