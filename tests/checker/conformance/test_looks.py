"""Lines of controllers between those of their state machines, as `validate` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from isrproof.checker.conformance import read
from isrproof.checker.conformance.rulings import rulings
from isrproof.checker.conformance.runs import unasked
from isrproof.model.cluster.effects import PREFERRED

from tests.validated import Run, command

Asked = tuple[int, int, str]
"""The millisecond in which a controller asks for elections, its id, and the partitions."""


def _asked(folder: Path, asked: Sequence[Asked], tried: int) -> list[list[str]]:
    """The partitions of each call, as `validate` takes them; elections are tried at a millisecond, and after all."""
    folder.mkdir(exist_ok=True)
    calls = (
        f"[2018-08-03 12:00:00,{ms}] INFO [Controller id={controller}] Starting preferred replica leader election "
        f"for partitions {partitions} (kafka.controller.KafkaController)\n"
        for ms, controller, partitions in asked
    )
    (folder / "controller.log").write_text("".join(calls), "utf-8")
    elections = (
        f"[2018-08-03 12:00:00,{ms}] ERROR [Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state "
        "for partition t1-0 from OfflinePartition to OnlinePartition (state.change.logger)\n"
        for ms in (tried, 109)
    )
    (folder / "state-change.log").write_text("".join(elections), "utf-8")
    evidence = read.read([str(folder)])
    looks = evidence.looks.between(evidence.compared)
    assert looks is not None
    calls_taken = [(each.event.detail or "").split(",") for each in looks if each.event.row == "election-requested"]
    assert [sorted(f"{topic}-{number}" for topic, number in each.epochs) for each in evidence.asked] == calls_taken
    return calls_taken


@pytest.mark.parametrize(
    ("asked", "tried", "calls"),
    [
        ([(100, 1, "t1-0"), (101, 1, "t2-0"), (101, 1, "t3-0")], 102, [["t1-0", "t2-0", "t3-0"]]),
        ([(100, 1, "t1-0"), (100, 1, "t2-0")], 100, [["t1-0", "t2-0"]]),
        ([(100, 1, "t1-0"), (102, 1, "t2-0")], 101, [["t1-0"], ["t2-0"]]),
        ([(100, 1, "t1-0"), (101, 1, "t1-0")], 102, [["t1-0"], ["t1-0"]]),
        ([(100, 1, "t1-0"), (101, 2, "t2-0")], 102, [["t1-0"], ["t2-0"]]),
    ],
    ids=["nothing between", "one millisecond", "an election between", "one partition twice", "two controllers"],
)
def test_calls_for_elections_that_nothing_lies_between_are_one(
    asked: Sequence[Asked], tried: int, calls: list[list[str]], tmp_path: Path
) -> None:
    assert _asked(tmp_path, asked, tried) == calls


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("release", "lines"), [("2.0.0", 2), ("2.1", 1)])
def test_the_balancer_asks_partition_by_partition_up_to_2_0_0(release: str, lines: int, tmp_path: Path) -> None:
    """Two partitions in one call or in two, with their elections after both lines."""
    run = Run(release, PREFERRED, brokers=2, partitions=2)
    run.begin({"p": 0, "one": 1, "other": 0}, {"p": 1, "one": 1, "other": 0})
    run.go("Die", b=1)
    run.go("BrokerChange", "ElectForDeadLeaders", "MoveReplicasOffline", "ElectPreferred")
    for level in ("TRACE", "INFO"):
        folder = tmp_path / level
        run.write(folder, level)
        (path,) = folder.rglob("controller.log")
        assert path.read_text("utf-8").count("Starting preferred replica leader election for partitions t") == lines
        code, said = command("cluster", str(folder), "--release", release)
        assert (code, said["verdict"], said["matched"]) == (0, "accepted", said["compared"])


_TOPICS = (
    "[2018-08-03 12:00:00,{0}] INFO [Controller id=1] Currently active brokers in the cluster: Set(1) "
    "(kafka.controller.KafkaController)\n"
    "[2018-08-03 12:00:00,{0}] INFO [Controller id=1] List of topics to be deleted: {1} "
    "(kafka.controller.KafkaController)"
)
_ELECTED = (
    "[2018-08-03 12:00:00,{}] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to {} "
    "and epoch zk version is now 1 (kafka.controller.KafkaController)"
)
_MOVED = (
    "[2018-08-03 12:00:00,{0}] ERROR [Controller id=1 epoch={1}] Controller 1 epoch {1} failed to change state for "
    "partition t1-0 from OfflinePartition to OnlinePartition (state.change.logger)"
)


@pytest.mark.parametrize("tells_epochs", [True, False])
def test_the_topics_to_be_deleted_are_those_of_the_controller_s_epoch(tells_epochs: bool, tmp_path: Path) -> None:
    """If the file begins later, the epoch in which a broker said so is not known: any of its lists may be meant."""
    said = [_ELECTED.format(100, 1), _TOPICS.format(101, "t1"), _ELECTED.format(102, 3), _TOPICS.format(103, "")]
    controller = "\n".join(said if tells_epochs else [said[1], said[3]])
    (tmp_path / "controller.log").write_text(f"{controller}\n", "utf-8")
    (tmp_path / "state-change.log").write_text(f"{_MOVED.format(101, 1)}\n{_MOVED.format(104, 3)}\n", "utf-8")
    evidence = read.read([str(tmp_path)])
    starts = rulings(evidence, frozenset(), unasked)["InitializeContext"]
    state = {"created": frozenset({0}), "registered": frozenset({0})}

    def may(epoch: int, *queued: int) -> bool:
        return starts("InitializeContext", {"c": 0}, {**state, "epoch": (epoch,), "queued": frozenset(queued)})

    assert may(1, 0)
    assert may(3)
    assert may(1) == may(3, 0) == (not tells_epochs)
