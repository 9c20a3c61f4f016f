"""Plans for clusters in ZooKeeper mode: their logs, held against ZooKeeper's own values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.sources.metadata.state import Broker, Cluster
from isrproof.checker.cli import main
from isrproof.checker.whatif.now import NotKnownError
from isrproof.checker.whatif.plan import Plan, Question
from isrproof.checker.whatif.zookeeper import answer as zookeeper
from isrproof.checker.whatif.zookeeper.answer import answer
from isrproof.checker.whatif.zookeeper.now import NO_END, NO_REPLICAS, ZooKeeperNow, now
from isrproof.traces.record import manifest
from isrproof.traces.record.compare import STATE

from lab import RECORDED
from tests.checker.whatif.clusters import partition

FOLDERS = sorted(path.parent for path in RECORDED.glob("*/manifest.json"))
OLD, NEW = (RECORDED / f"failover-on-leader-{release}-kill" for release in ("2.0.0", "2.3.1"))
KILLED = {OLD: "2026-11-21T20:24:29Z", NEW: "2026-11-21T20:25:06Z"}
"""The second in which broker 2 is killed, which leads and is controller, and whose followers are out of the ISR."""
MODELLED = [each for each in FOLDERS if "-0.1" not in each.name and "-1.0" not in each.name]


def in_zookeeper(folder: Path) -> tuple[Mapping[tuple[str, int], Any], Mapping[str, Any], set[int]]:
    """The last values of partitions and topics, and the live brokers."""
    states: dict[tuple[str, int], Any] = {}
    topics: dict[str, Any] = {}
    live: set[int] = set()
    for row in manifest.read(folder)["znodes"]:
        path, gone = row["path"], row["change"] == "delete"
        if found := STATE.fullmatch(path):
            states[found[1], int(found[2])] = None if gone else row["value"]
        elif path.startswith("/brokers/topics/") and path.count("/") == 3:
            topics[path.rpartition("/")[2]] = None if gone else row["value"]
        elif path.startswith("/brokers/ids/"):
            live = live - {int(path.rpartition("/")[2])} if gone else live | {int(path.rpartition("/")[2])}
    return states, topics, live


@pytest.mark.slow(every=3)
@pytest.mark.full(every=12)
@pytest.mark.parametrize("folder", MODELLED, ids=lambda folder: folder.name)
def test_what_the_logs_show_is_what_zookeeper_has(folder: Path) -> None:
    """An ISR may have grown since: the search lets it grow."""
    there = now([str(folder)])
    assert there is not None
    states, topics, live = in_zookeeper(folder)
    assert there.live == live
    for each in there.state.all():
        held = states[each.topic, each.number]
        assert each.leader == held["leader"]
        assert {*each.isr} <= {*held["isr"]}
        assert [*each.replicas] == topics[each.topic]["partitions"][str(each.number)]


def run(*arguments: str) -> tuple[int, dict[str, Any]]:
    result = CliRunner().invoke(main, ["whatif", *arguments, "--json"])
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return result.exit_code, found


@pytest.mark.parametrize(("folder", "leader"), [(OLD, 2), (NEW, None)])
def test_the_last_in_sync_replica_dies_as_controller(folder: Path, leader: int | None) -> None:
    """Up to 2.2 the next controller leaves the dead leader in ZooKeeper (KAFKA-3143), as the recording does."""
    code, found = run(str(folder), "--at", KILLED[folder], "--fail", "node:2")
    assert (code, found["verdict"], found["quorum"]) == (1, "unsafe", "unknown")
    assert [(each["topic"], each["partition"]) for each in found["offline"]] == [("t", 0), ("t", 1)]
    assert not found["may_lose"]
    path = found["path"]
    assert (path["steps"][0]["action"], path["steps"][0]["broker"]) == ("Die", 2)
    assert path["steps"][-1]["leader"] == leader
    assert manifest.leaders(manifest.read(folder))["t", 0] == (-1 if leader is None else leader)


def test_the_death_of_another_is_safe() -> None:
    code, found = run(str(OLD), "--at", KILLED[OLD], "--fail", "node:4")
    assert (code, found["verdict"], found["left_out"], found["partitions"]) == (0, "safe", [], 3)
    assert any("Kafka 2.0.1, the newest that the wordings" in each for each in found["assumes"])


def test_configurations_are_set() -> None:
    plan = (str(OLD), "--at", KILLED[OLD], "--fail", "node:2")
    code, found = run(*plan, "--set", "unclean.leader.election.enable=true")
    assert code == 1
    assert [(each["topic"], each["partition"]) for each in found["may_lose"]] == [("t", 0), ("t", 1)]
    assert "ComeBack" in [each["action"] for each in found["path"]["steps"]]
    code, found = run(*plan, "--set", "min.insync.replicas=2")
    assert [(each["topic"], each["partition"]) for each in found["already"]["under_min_isr"]] == [("t", 0), ("t", 1)]


def test_logs_that_do_not_show_the_replicas_leave_it_unknown() -> None:
    code, found = run(str(RECORDED / "lifecycle-2.8.2"), "--fail", "1")
    assert (code, found["verdict"]) == (3, "unknown")
    assert found["left_out"][0].startswith(f"4 partitions of which these lines show too little: life-0 ({NO_REPLICAS})")


def test_a_reassignment_whose_end_no_line_shows() -> None:
    there = now([str(RECORDED / "reassign-2.8.2")])
    assert there is not None
    assert NO_END in there.not_shown.values()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--restart", "1,2"], "--restart: only a metadata log of KRaft shows enough for that"),
        (["--remove-voter", "1"], "--remove-voter: only a metadata log of KRaft"),
        (["--at", "98", "--fail", "1"], "have no offsets; give a time"),
        (["--fail", "node:9"], "the cluster has no broker '9'"),
        (["--fail", "rack:a"], "no broker has registered a rack"),
        (["--fail", "1", "--release", "4.0"], "4.0"),
    ],
)
def test_what_such_logs_cannot_answer_is_misuse(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["whatif", str(OLD), *arguments])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert said in result.output


def cluster(isr: tuple[int, ...], live: tuple[int, ...], controller: int) -> ZooKeeperNow:
    """A partition on brokers 1, 2 and 3."""
    state = Cluster()
    state.names["t"] = state.ids["t"] = "t"
    for id in {1, 2, 3, *live}:
        state.register(Broker(id, 0, "", id not in live, False, [], None))
    state.put(partition((1, 2, 3), isr, topic="t"), None)
    return ZooKeeperNow(state, frozenset(live), controller, "2.8", 0, {})


@pytest.mark.full(every=3)
@pytest.mark.parametrize("controller", [1, 2, 4])
def test_any_broker_may_be_controller(controller: int) -> None:
    """Two of three replicas in sync: one may die, two may not."""
    there = cluster((1, 2), (1, 2, 3, 4), controller)
    assert answer(there, Plan(spare=1), "2.8").verdict == "safe"
    two = answer(there, Plan(spare=2), "2.8")
    assert two.found["offline"] == (("t", 0),)
    assert two.path is not None
    assert [each.action for each in two.path.steps].count("Die") == 2


def test_an_unclean_election_may_lose_records() -> None:
    there = cluster((1,), (1, 2, 4), 4)
    assert not answer(there, Plan(spare=1), "2.8").found["may_lose"]
    zookeeper.configure(there.state, ["unclean.leader.election.enable=true"])
    found = answer(there, Plan(spare=1), "2.8")
    assert found.found["may_lose"] == (("t", 0),)
    assert found.path is not None
    assert (found.path.steps[-1].leader, found.path.steps[-1].isr) == (2, (2,))


def test_a_partition_with_more_replicas_than_the_model_has_is_left_out() -> None:
    there = cluster((1, 2), (1, 2, 3, 4), 4)
    there.state.put(partition((1, 2, 3, 4), (1, 2), 1, topic="t"), None)
    found = answer(there, Plan(spare=1), "2.8")
    assert (found.verdict, found.left_out) == (
        "unknown",
        ("1 partition with too many brokers for model cluster, among them t-1",),
    )


def test_a_controller_that_is_not_alive_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zookeeper, "now", lambda *_: replace(cluster((1,), (1, 2), 1), controller=3))
    with pytest.raises(NotKnownError, match="the last controller, 3, is not among the live brokers"):
        zookeeper.whatif(["logs"], Question(["1"]))
