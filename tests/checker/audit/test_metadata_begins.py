"""Metadata logs that begin later than their cluster, or have holes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.traces.cases import cases

from tests.metadata_folders import BEGINNING, TOPIC, change, elected, found, put, report


def test_a_log_that_begins_later_begins_with_a_snapshot(tmp_path: Path) -> None:
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    put(tmp_path, 1, [change(14, isr=[2], eligibleLeaderReplicas=[1])], "00000000000000000014.log")
    put(tmp_path, 1, snapshot, "00000000000000000014-0000000001.checkpoint")
    shown = report(tmp_path)
    assert found(shown) == []
    assert shown.rules["KR505"].held == 1
    assert any("history begins with the snapshot" in note for note in shown.notes)


def test_a_timeline_begins_with_what_the_snapshot_has(tmp_path: Path) -> None:
    """Each partition's states together, in the order of the log."""
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    begins = put(tmp_path, 1, snapshot, "00000000000000000014-0000000001.checkpoint")
    segment = put(tmp_path, 1, [change(14, isr=[2], eligibleLeaderReplicas=[1])], "00000000000000000014.log")
    shown = report(tmp_path, timeline=True)
    (at,) = [number for number, line in enumerate(snapshot) if '"PARTITION_RECORD"' in line]
    assert [(row.place.file, row.place.offset, row.isr) for row in shown.timeline or ()] == [
        (str(begins), json.loads(snapshot[at])["offset"], (1, 2)),
        (str(segment), 14, (2,)),
    ]
    assert {(row.topic, row.partition) for row in shown.timeline or ()} == {("orders", 0)}


def test_a_snapshot_tells_the_level_that_a_log_begins_at(tmp_path: Path) -> None:
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    put(tmp_path, 1, snapshot, "00000000000000000014-0000000001.checkpoint")
    alone = CliRunner().invoke(main, ["audit", str(tmp_path)])
    put(tmp_path, 1, [change(14, isr=[2], eligibleLeaderReplicas=[1])], "00000000000000000014.log")
    with_segment = CliRunner().invoke(main, ["audit", str(tmp_path)])
    said = re.compile(r"^  metadata\.version:\n    time not in the log      \S+ \(offset 14\)$", re.MULTILINE)
    for shown in (alone.stdout, with_segment.stdout):
        assert said.search(shown), shown
    assert alone.exit_code == 3
    assert (
        "metadata log of node 1: no segment with records, committed before 14 (a snapshot ends there)" in alone.stdout
    )


def test_a_log_that_begins_nowhere_is_judged_as_far_as_it_tells(tmp_path: Path) -> None:
    later = "laterAAAAAAAAAAAAAAAAA"
    topic = {"offset": 21, "epoch": 1, "type": "TOPIC_RECORD", "data": {"name": "new", "topicId": later}}
    wrong = {"topicId": later, "replicas": [1, 2], "isr": [1, 2], "leader": 3}
    partition = {"offset": 22, "epoch": 1, "type": "PARTITION_RECORD", "data": wrong}
    put(tmp_path, 1, [change(20, isr=[9], leader=9), json.dumps(topic), json.dumps(partition)], f"{20:020d}.log")
    shown = report(tmp_path)
    assert found(shown) == [("KR505", "suspicious", 22)]
    assert any("no snapshot shows the state before that" in note for note in shown.notes)


def test_a_hole_in_the_log_is_no_fault_of_what_follows(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2])])
    put(tmp_path, 1, [change(20, isr=[9], leader=9)], f"{20:020d}.log")
    assert [each[0] for each in found(report(tmp_path))] == ["KR501"]


def test_a_cluster_whose_bootstrap_records_were_lost_is_judged_at_its_level(tmp_path: Path) -> None:
    """KAFKA-20839: it runs at 3.0-IV1, which has its own records, and raises the leader epoch on each shrink."""
    features = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 21}]

    def record(offset: int, kind: str, data: dict[str, object], batch: int | None = None) -> str:
        return json.dumps(
            {"offset": offset, "epoch": 1, "type": kind, "version": 0, "data": data, "batch": batch or offset}
        )

    brokers = {
        offset: {"brokerId": offset, "brokerEpoch": offset, "incarnationId": f"p{offset}".ljust(22, "A")}
        for offset in (1, 2)
    }
    partition = {"topicId": TOPIC, "replicas": [1, 2], "isr": [1, 2], "leader": 1}
    lines = [
        elected(0, 1, 1, voters=(1,)),
        *(
            record(n, "REGISTER_BROKER_RECORD", {**each, "fenced": True, "features": features})
            for n, each in brokers.items()
        ),
        record(3, "UNFENCE_BROKER_RECORD", {"id": 1, "epoch": 1}),
        record(4, "UNFENCE_BROKER_RECORD", {"id": 2, "epoch": 2}),
        record(5, "TOPIC_RECORD", {"name": "orders", "topicId": TOPIC}),
        record(6, "PARTITION_RECORD", partition),
        record(7, "PARTITION_CHANGE_RECORD", {"topicId": TOPIC, "isr": [1], "leader": 1}, batch=7),
        record(8, "FENCE_BROKER_RECORD", {"id": 2, "epoch": 2}, batch=7),
    ]
    put(tmp_path, 1, lines)
    shown = report(tmp_path)
    assert [(each.rule, each.place.offset, each.known_issue) for each in shown.findings] == [
        ("KR518", 1, "KAFKA-20839")
    ]
    assert shown.rules["KR515"].held == 1
    assert shown.rules["KR513"].held == 1
