"""Nodes and partitions of which something is not known, and the file that would show it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.commands.audit import command

from ....recordings import RECORDED


def line(node: int, second: int, text: str) -> str:
    return f"[2025-03-04 10:{second // 60:02d}:{second % 60:02d},000] INFO {text.format(node=node)}"


def starts(node: int, second: int) -> str:
    return line(
        node, second, "[BrokerServer id={node}] Transition from SHUTDOWN to STARTING (kafka.server.BrokerServer)"
    )


def shrinks(node: int, second: int, isr: str) -> str:
    return line(
        node, second, f"[Partition a-0 broker={{node}}] Shrinking ISR from {isr} to {{node}} (kafka.cluster.Partition)"
    )


def unfenced(node: int, second: int) -> str:
    text = "[BrokerLifecycleManager id={node}] The broker has been unfenced. Transitioning from RECOVERY to RUNNING."
    return line(node, second, f"{text} (kafka.server.BrokerLifecycleManager)")


def refused_vote(node: int, by: int, second: int) -> str:
    text = f"Vote request VoteRequestData(clusterId='x', topics=[TopicData(topicName='__cluster_metadata', partitions=[\
PartitionData(partitionIndex=0, candidateEpoch=5, candidateId={node}, lastOffsetEpoch=4, lastOffset=9)])])"
    return line(
        by, second, f"[RaftManager id={{node}}] {text} with epoch 5 is rejected (org.apache.kafka.raft.KafkaRaftClient)"
    )


def not_known(folder: Path, files: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is not known of nodes, and of how partitions went on."""
    for name, lines in files.items():
        (folder / name).mkdir()
        (folder / name / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (one,) = audit([str(folder)], Options(engine="python"))
    return [each for each in one.state.unknown if "server.log" in each]


def test_nodes_that_lines_name_and_no_file_is_of(tmp_path: Path) -> None:
    own = [starts(1, 0), shrinks(1, 5, "1,2,3")]
    assert not_known(tmp_path, {"1": own, "3": [starts(3, 0), unfenced(3, 5)]}) == [
        "what node 2 went through: its server.log would show it"
    ]


def test_nothing_of_a_cluster_that_was_read_as_a_whole(tmp_path: Path) -> None:
    files = {"1": [starts(1, 0), shrinks(1, 5, "1,2")], "2": [starts(2, 30), unfenced(2, 31)]}
    assert not_known(tmp_path, files) == []


def test_nothing_where_a_file_may_be_of_any_node(tmp_path: Path) -> None:
    nameless = line(0, 0, "shutting down (kafka.server.KafkaServer)")
    assert not_known(tmp_path, {"1": [shrinks(1, 5, "1,2,3")], "x": [nameless]}) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([unfenced(2, 40)], "before 2025-03-04 10:00:40.000"),
        ([starts(2, 0), unfenced(2, 1)], "after 2025-03-04 10:00:01.000"),
        ([starts(2, 40), unfenced(2, 41)], None),
        ([starts(2, 0), unfenced(2, 19)], None),
    ],
    ids=["its file begins after it lived", "it lived after its file ends", "it began late", "about the same time"],
)
def test_a_part_of_a_nodes_time(tmp_path: Path, lines: list[str], expected: str | None) -> None:
    voter = [starts(1, 0), refused_vote(2, 1, 20)]
    shown = (
        []
        if expected is None
        else [f"what node 2 went through {expected}: rotated files of its server.log would show it"]
    )
    assert not_known(tmp_path, {"1": voter, "2": lines}) == shown


def test_partitions_whose_leaders_lines_are_missing() -> None:
    (one,) = audit([str(RECORDED / "failover-on-leader-2.0.0-kill")], Options(engine="python"))
    assert (
        "whether 2 partitions (t-0, t-1) recovered: the server.log of their leaders would show it" in one.state.unknown
    )


def test_a_metadata_log_alone_does_not_show_processes() -> None:
    (one,) = audit([str(RECORDED.with_name("recorded-whatif") / "voters-3.9.1")], Options(engine="python"))
    assert one.state.unknown == ("what nodes 1, 2, 3 went through: the server.log of each would show it",)


def test_each_form_has_it(tmp_path: Path) -> None:
    own = tmp_path / "server.log"
    own.write_text(shrinks(1, 5, "1,2,3") + "\n", encoding="utf-8")
    says = "what nodes 2, 3 went through: the server.log of each would show it"
    for form in ("text", "json", "html", "markdown"):
        shown = CliRunner().invoke(command, ["--engine", "python", "--format", form, str(own)]).stdout
        assert says in (
            json.loads(shown)["state"]["unknown"] if form == "json" else shown.replace("What nodes", "what nodes")
        ), form
