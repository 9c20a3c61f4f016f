"""Helpers of the tests of `validate`: the command, simulated logs, and runs given step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.checker.conformance import cluster, read, simulate
from isrproof.checker.conformance.names import numbered
from isrproof.checker.conformance.validate import Told, Validation, validate
from isrproof.model.cluster.cluster import CLUSTER
from isrproof.model.step import Reference

from tests.imports import ROOT

RECORDED = ROOT / "traces" / "recorded"


def command(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(main, ["validate", *arguments, "--json"])
    return done.exit_code, json.loads(done.output)


def simulated(seed: int, release: str, folder: Path) -> Path:
    room = {"brokers": 3, "partitions": 1, "outages": 4, "failovers": 2, "max_leader_epoch": 40}
    instance = CLUSTER.model(release).instance(**room)
    run = simulate.random_run(instance, seed, 30)
    log = simulate.log_of(instance, run, CLUSTER.release(release), "TRACE", numbered(3, 1))
    simulate.write(log, folder)
    return folder


def validated(folder: Path, release: str) -> Validation:
    evidence = read.read([str(folder)])
    row = CLUSTER.release(release)
    return validate(CLUSTER.model(release), row, evidence, "TRACE", Told(cluster.possible(evidence)))


class Run:
    """A run of an instance, given step by step."""

    def __init__(self, release: str, *parts: str, **room: int) -> None:
        self.release = release
        self.instance = CLUSTER.model(release, adding=parts).instance(**room)
        self.reference = Reference(self.instance)
        self.state, self.taken = self.reference.initial(), list[simulate.RunStep]()

    def go(self, *steps: str, **wanted: int) -> dict[str, Any]:
        """The state after the first such step, or after one of each in turn."""
        for step in steps:
            possible = self.reference.steps(self.state, step)
            first = next(each for each in possible if wanted.items() <= each.params.items())
            self.taken.append(simulate.RunStep(step, first.params, self.state, first.state))
            self.state = first.state
        return dict(zip(self.reference.names, self.state, strict=True))

    def begin(self, *topics: Mapping[str, int]) -> None:
        """The first controller starts, then notes topics that are created with these parameters."""
        self.go("Elect", "InitializeContext", "StartPartitions")
        for created in topics:
            self.go("CreateTopic", **created)
        self.go("NewPartitions")

    def write(self, folder: Path, level: str = "TRACE") -> None:
        settings = self.instance.settings
        names = numbered(settings["brokers"], settings["partitions"])
        log = simulate.log_of(self.instance, self.taken, CLUSTER.release(self.release), level, names)
        simulate.write(log, folder)


def deleting() -> Run:
    """A topic with two replicas, which the controller has begun to delete."""
    run = Run("2.8", "deletion", brokers=2, partitions=1)
    run.begin({"one": 1, "other": 0})
    run.go("DeleteTopic", "NoteDeletions", "ResumeDeletions", "BeginDeletion")
    return run


def deleting_in_vain(run: Run) -> None:
    """A controller on broker 0 finds a topic with replicas on two brokers that died, and tries to delete it."""
    run.go("Die", b=1)
    run.go("Die", b=2)
    run.go("Elect", c=0)
    run.go("InitializeContext", "StartPartitions", "DeleteTopic", "NoteDeletions", "ResumeDeletions")
    run.go("RetryDeletion", "RetryDeletion", "BeginDeletion")
