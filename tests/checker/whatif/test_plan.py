"""Plans are held against the cluster that they are for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.whatif.answer import answer
from isrproof.checker.whatif.now import Now
from isrproof.checker.whatif.plan import Plan, Question, plan
from isrproof.specs.errors import IsrproofError

from tests.checker.whatif.clusters import broker, now, partition

LEVEL = 25


def cluster(cordoned: Sequence[str]) -> Now:
    """Three brokers, of which the third has two directories, some of them cordoned."""
    third = replace(broker(3), directories=["d1", "d2"], cordoned=[*cordoned])
    return now([broker(1), broker(2), third], [partition((1, 2), (1, 2)), partition((3, 2), (3, 2))], level=LEVEL)


def reassigned(there: Now, folder: Path, number: int, replicas: Sequence[int]) -> Plan:
    file = folder / "plan.json"
    rows = [{"topic": "t", "partition": number, "replicas": [*replicas]}]
    file.write_text(json.dumps({"version": 1, "partitions": rows}), encoding="utf-8")
    return plan(there.state, Question(reassign=file))


def test_a_reassignment_to_a_cordoned_broker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsrproofError, match=r"all directories of broker 3 are cordoned, .* uncordon one, or choose"):
        reassigned(cluster(["d1", "d2"]), tmp_path, 0, (1, 3))


def test_a_broker_with_one_directory_that_is_not_cordoned_gets_replicas(tmp_path: Path) -> None:
    assert reassigned(cluster(["d1"]), tmp_path, 0, (1, 3)).wanted == {("t", 0): (1, 3)}


def test_a_cordoned_broker_keeps_the_replicas_that_it_has(tmp_path: Path) -> None:
    assert reassigned(cluster(["d1", "d2"]), tmp_path, 1, (3, 1)).wanted == {("t", 1): (3, 1)}


def test_a_release_that_no_registration_shows_is_the_newest_that_knows_the_level() -> None:
    found = answer(cluster([]), Plan(spare=1), Choices())
    (said,) = (each for each in found.assumes if each.startswith("the controller runs"))
    assert said.startswith(f"the controller runs Kafka {found.release}, the newest that knows metadata.version ")
    assert said.endswith("no record shows the controller's release (--release chooses)")
