"""`isrproof whatif` on recordings, and its misuse."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main

from tests.metadata_folders import THREE_VOTERS, put

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
CHAOS, FAILOVER = str(RECORDED / "chaos-3.5.2"), str(RECORDED / "failover-3.5.2")
VOTERS = str(RECORDED / "voters-4.1.1")


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["whatif", *arguments])
    return done.exit_code, done.output


def answered(*arguments: str) -> tuple[int, dict[str, Any]]:
    code, text = run(*arguments, "--json")
    found = json.loads(text)
    assert isinstance(found, dict)
    return code, found


def keys(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [f"{each['topic']}-{each['partition']}" for each in rows]


def test_a_failure_that_is_safe() -> None:
    code, found = answered(VOTERS, "--fail", "1")
    assert (code, found["verdict"], found["quorum"], found["path"]) == (0, "safe", "ok", None)
    lists = ("offline", "under_min_isr", "may_lose", "without_eligible_leader")
    assert not any(found[each] for each in lists)
    assert found["left_out"] == []
    shown = "the controller runs Kafka 4.1, by the newest metadata.version that its registration supports"
    assert f"{shown} (--release chooses)" in found["assumes"]


def test_the_shortest_way_has_steps_and_records() -> None:
    code, found = answered(CHAOS, "--at", "98", "--fail", "1")
    assert (code, found["verdict"]) == (1, "unsafe")
    assert keys(found["offline"]) == ["c4-0"]
    assert keys(found["already"]["under_min_isr"]) == ["c4-0"]
    (step,) = found["path"]["steps"]
    assert (step["action"], step["broker"], step["leader"], step["isr"]) == ("Fence", 1, None, [1])
    kinds = [each.split(" ", 1)[0] for each in step["records"]]
    assert kinds == ["PARTITION_CHANGE_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD"]
    assert json.loads(step["records"][0].split(" ", 1)[1])["leader"] == -1


def test_an_unclean_election_may_lose_records() -> None:
    plan = ("--at", "98", "--fail", "node:1", "--set", "unclean.leader.election.enable=c4=true")
    code, found = answered(CHAOS, *plan, "--release", "3.9")
    assert (code, keys(found["may_lose"])) == (1, ["c4-0"])
    assert found["path"]["steps"][0]["action"] == "Fence"
    assert not any("ignores" in each for each in found["assumes"])


def test_before_3_9_nobody_elects_uncleanly_in_a_plan() -> None:
    plan = ("--at", "98", "--fail", "node:1", "--set", "unclean.leader.election.enable=c4=true")
    code, found = answered(CHAOS, *plan, "--release", "3.8")
    assert (code, keys(found["may_lose"]), keys(found["offline"])) == (1, [], ["c4-0"])
    assert any("ignores unclean.leader.election.enable (KAFKA-12670)" in each for each in found["assumes"])


def test_an_order_of_restarts() -> None:
    code, found = answered(FAILOVER, "--restart", "1,2,3")
    assert (code, found["quorum"], found["order"]) == (1, "lost", [3, 1, 2])
    assert keys(found["under_min_isr"]) == ["t-0", "t-1", "t-2"]
    code, found = answered(FAILOVER, "--restart", "all")
    assert (code, found["verdict"], found["order"]) == (0, "safe", [3, 1, 2])


def test_a_reassignment(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    rows = [{"topic": "c4", "partition": 0, "replicas": [2, 1]}]
    plan.write_text(json.dumps({"version": 1, "partitions": rows}), encoding="utf-8")
    code, found = answered(CHAOS, "--at", "98", "--reassign", str(plan))
    assert (code, found["verdict"]) == (0, "safe")
    code, found = answered(CHAOS, "--at", "98", "--reassign", str(plan), "--fail", "node:1")
    assert (code, keys(found["offline"])) == (1, ["c4-0"])


@pytest.mark.parametrize(
    ("plan", "quorum", "voters"),
    [(("--remove-voter", "13"), "ok", [11, 14]), (("--add-voter", "12"), "ok", [11, 12, 13, 14])],
)
def test_the_quorum_changes(plan: Sequence[str], quorum: str, voters: list[int]) -> None:
    _, found = answered(VOTERS, *plan)
    assert (found["quorum"], found["voters"]) == (quorum, voters)


def test_markdown() -> None:
    code, text = run(CHAOS, "--at", "98", "--fail", "1", "--format", "markdown")
    assert code == 1
    assert text.startswith("### What if: unsafe\n\nAny 1 broker may fail.\n")
    assert "- 1 partition can go offline\n" in text


def test_a_time_is_as_good_as_an_offset() -> None:
    _, found = answered(CHAOS, "--at", "2026-11-23 08:04:48.875", "--fail", "1")
    assert found["offset"] == 98


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fail", "4"), "the cluster has only 3 brokers"),
        (("--fail", "0"), "expected a number of brokers from 1 on"),
        (("--fail", "disk:1"), "expected a number of brokers, node:ID, rack:NAME or directory"),
        (("--fail", "node:9"), "the cluster has no broker '9'; it has 1, 2, 3"),
        (("--fail", "rack:a"), "no broker has registered a rack"),
        (("--fail", "directory:1/x"), "directories"),
        (("--restart", "1,1"), "broker 1 is named twice"),
        (("--restart", "1,9"), "the cluster has no broker '9'"),
        (("--remove-voter", "1"), "the voters of this quorum are not in its log"),
        (("--release", "2.0.0"), "has no row for Kafka 2.0"),
        (("--release", "3.0"), "does not know the cluster's metadata.version"),
        (("--set", "x=1"), "expected min.insync.replicas=N"),
        (("--set", "min.insync.replicas=0"), "expected min.insync.replicas=N"),
        (("--set", "min.insync.replicas=nope=2"), "Unknown topic 'nope'"),
        (("--at", "99999"), "the log ends at offset"),
        (("--at", "soon"), "expected a time"),
    ],
)
def test_misuse_is_one_line(arguments: Sequence[str], message: str) -> None:
    code, text = run(CHAOS, *arguments)
    assert (code, text.count("\n")) == (2, 1)
    assert message in text


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"topic": "nope", "partition": 0, "replicas": [1]}, "Unknown topic 'nope'"),
        ({"topic": "c4", "partition": 9, "replicas": [1]}, "the topic has partitions 0 to"),
        ({"topic": "c4", "partition": 0, "replicas": [1, 9]}, "the cluster has no broker '9'"),
        ({"topic": "c4", "partition": 0, "replicas": [1, 1]}, "expected replicas, each once"),
        ({"topic": "c4", "replicas": [1, 1]}, "as kafka-reassign-partitions.sh takes it"),
    ],
)
def test_a_plan_that_names_what_is_not_there(row: dict[str, Any], message: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [row]}), encoding="utf-8")
    code, text = run(CHAOS, "--at", "98", "--reassign", str(plan))
    assert (code, text.count("\n")) == (2, 1)
    assert message in text


def test_no_metadata_log(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text("[2026-01-01 00:00:00,000] INFO x (y)\n", encoding="utf-8")
    code, text = run(str(tmp_path), "--fail", "1")
    assert (code, text.count("\n")) == (2, 1)


def test_a_log_that_ends_within_a_transaction_is_not_known(tmp_path: Path) -> None:
    offset = len(THREE_VOTERS)
    begin = json.dumps({"offset": offset, "epoch": 1, "type": "BEGIN_TRANSACTION_RECORD", "data": {"name": "x"}})
    put(tmp_path, 1, [*THREE_VOTERS, begin])
    code, text = run(str(tmp_path), "--fail", "1")
    assert (code, text.count("\n")) == (3, 1)
    assert "a metadata transaction is open" in text


def test_a_copy_that_may_be_behind_says_so() -> None:
    _, found = answered(f"{CHAOS}/node-1", "--fail", "1")
    assert any("the copies of voters 2, 3 are not here" in each for each in found["assumes"])
