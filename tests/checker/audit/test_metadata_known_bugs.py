"""Known bugs of Kafka in the report of a metadata log: of findings, and faults that are none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.cli import main
from isrproof.traces.cases import cases

from tests.metadata_folders import BEGINNING, RECORDED, TOPIC, change, elected, found, put, report


@pytest.mark.parametrize("form", ["text", "markdown", "github", "sarif"])
def test_a_known_bug_is_named_that_no_release_has_mended(form: str, tmp_path: Path) -> None:
    next(each for each in cases()["KR518"].excerpts if each.fires).write(tmp_path)
    result = CliRunner().invoke(main, ["audit", str(tmp_path), "--format", form])
    assert re.search(r"KAFKA-20839\S*, not fixed in any release", result.stdout)


def known(folder: Path, **asked: object) -> list[tuple[str, int]]:
    return [(each.issue, each.first) for log in report(folder, **asked).metadata or () for each in log.known]


def test_faults_that_are_no_findings_are_told_with_their_issue(tmp_path: Path) -> None:
    """A log of 3.5 (level 11): its epochs rise on shrinks, and for nothing; broker 2's is one too small."""
    features = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": 11}]

    def record(offset: int, kind: str, batch: int | None = None, version: int = 0, **data: object) -> str:
        return json.dumps(
            {"offset": offset, "epoch": 1, "type": kind, "version": version, "data": data, "batch": batch or offset}
        )

    def registers(offset: int, broker: int, epoch: int, incarnation: str) -> str:
        own = {"brokerId": broker, "brokerEpoch": epoch, "incarnationId": incarnation.ljust(22, "A"), "fenced": True}
        return record(offset, "REGISTER_BROKER_RECORD", version=2, **own, features=features)

    changes = "BROKER_REGISTRATION_CHANGE_RECORD"
    lines = [
        elected(0, 1, 1, voters=(1,)),
        record(1, "FEATURE_LEVEL_RECORD", name="metadata.version", featureLevel=11),
        registers(2, 1, 2, "one"),
        registers(3, 2, 2, "two"),
        record(4, changes, brokerId=1, brokerEpoch=2, fenced=-1),
        record(5, changes, brokerId=2, brokerEpoch=2, fenced=-1),
        record(6, "TOPIC_RECORD", name="orders", topicId=TOPIC),
        record(7, "PARTITION_RECORD", topicId=TOPIC, replicas=[1, 2], isr=[1, 2], leader=1),
        record(8, "PARTITION_CHANGE_RECORD", topicId=TOPIC, isr=[1], leader=1),
        record(9, "PARTITION_CHANGE_RECORD", batch=9, topicId=TOPIC, leader=-1),
        record(10, changes, batch=9, brokerId=1, brokerEpoch=2, fenced=1),
        record(11, "PARTITION_CHANGE_RECORD", topicId=TOPIC, leader=-1),
        record(12, "TOPIC_RECORD", name="payments", topicId="paymentsAAAAAAAAAAAAAA"),
        record(13, "PARTITION_RECORD", topicId="paymentsAAAAAAAAAAAAAA", replicas=[2], isr=[2], leader=2),
        registers(14, 2, 14, "two"),
    ]
    put(tmp_path, 1, lines)
    shown = report(tmp_path)
    assert found(shown) == []
    (log,) = shown.metadata or ()
    assert [(each.issue, each.fixed_in, each.records, each.first) for each in log.known] == [
        ("KAFKA-15021", "3.6.0, from metadata.version 3.6-IV0 on", 1, 8),
        ("KAFKA-15213", "3.6.0", 1, 3),
        ("KAFKA-16624", "3.8.0", 1, 11),
        ("KAFKA-16952", "3.9.0", 1, 14),
    ]
    assert known(tmp_path, partition=("orders", 0)) == [("KAFKA-15021", 8), ("KAFKA-16624", 11)]
    assert known(tmp_path, partition=("payments", 0)) == []
    text = CliRunner().invoke(main, ["audit", str(tmp_path)]).stdout
    assert "    KAFKA-15021 (3.0-3.5; fixed in 3.6.0, from metadata.version 3.6-IV0 on): the leader epoch rises" in text


@pytest.mark.full
def test_only_the_faults_of_the_time_that_is_asked_for_are_told() -> None:
    recording = RECORDED / "chaos-3.5.2"
    whole = known(recording)
    states = [each.ts for each in report(recording, timeline=True).timeline or () if each.ts is not None]
    assert known(recording, until=max(states)) == whole != []
    assert known(recording, since=max(states) + 1) == []


def test_a_log_without_such_faults_tells_of_none(tmp_path: Path) -> None:
    """From level 12 on a shrink raises no leader epoch; that a replica left does."""
    put(tmp_path, 1, [*BEGINNING, change(13, isr=[1, 2]), change(14, replicas=[1, 2], leader=1)])
    shown = report(tmp_path)
    assert [log.known for log in shown.metadata or ()] == [()]
