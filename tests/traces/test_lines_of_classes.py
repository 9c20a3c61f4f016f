"""Lines are recognised by the class that prints them, in whatever package of Kafka it is, and by no other class."""

from __future__ import annotations

import pytest
from isrproof.specs.lines import Row, rows
from isrproof.specs.lines.classes import outer, packages
from isrproof.specs.releases import RELEASES, Release, span
from isrproof.traces.events.event import Event, Irrelevant, Parsed, Unknown
from isrproof.traces.events.layouts import layout
from isrproof.traces.events.parse import parse_line
from isrproof.traces.events.render import render, sample_line
from isrproof.traces.events.wordings import dispatch

TIME = "[2026-06-01 10:00:00,010]"


def class_of(line: str) -> str:
    return outer(line.rpartition(".")[2].rstrip(")"))


OF_CLASSES = [row for row in rows().values() if row.bears and row.loggers and class_of(sample_line(row)) in packages()]


def moved(line: str, package: str) -> str:
    """A line as its class would print it from another package."""
    head, _, logger = line.rpartition(" (")
    return f"{head} ({package}.{logger[:-1].rpartition('.')[2]})"


@pytest.mark.parametrize("row", OF_CLASSES, ids=lambda row: row.id)
def test_a_class_that_moves_to_an_unknown_package_keeps_its_lines(row: Row) -> None:
    line = sample_line(row)
    told = parse_line(line)
    assert isinstance(told, Event)
    assert parse_line(moved(line, "org.apache.kafka.next.place")) == told
    assert parse_line(moved(line, "kafka.next")) == told


@pytest.mark.parametrize("row", OF_CLASSES, ids=lambda row: row.id)
def test_a_class_of_the_same_name_that_is_not_of_kafka_has_no_line_here(row: Row) -> None:
    line = sample_line(row)
    for package in ("com.example", "io.confluent.kafka.server", "org.apache.kafkaesque"):
        assert isinstance(parse_line(moved(line, package)), Unknown)


def test_what_else_a_class_prints_goes_with_it() -> None:
    text = f"{TIME} INFO Something new (org.apache.kafka.next.FetchSession)"
    assert parse_line(text) == parse_line(text.replace("org.apache.kafka.next", "kafka.server"))
    assert isinstance(parse_line(text), Irrelevant)
    assert isinstance(parse_line(text.replace("org.apache.kafka.next", "com.example")), Unknown)


def test_a_line_of_a_class_is_not_one_of_the_package_that_it_moved_to() -> None:
    """AppInfoParser is below org.apache.kafka.common, whose other lines bear on no rule."""
    assert "org.apache.kafka.common." in dict(dispatch().by_logger)
    told = parse_line(f"{TIME} INFO Kafka version: 4.4.0 (org.apache.kafka.common.utils.internals.AppInfoParser)")
    assert isinstance(told, Event)
    assert (told.row, told.releases) == ("version-printed", span("4.4"))


def test_a_layout_that_prints_the_class_alone_is_read_by_it() -> None:
    short = layout("[%d] %p %m (%c{1})")
    told = parse_line(f"{TIME} INFO Kafka version: 4.4.0 (AppInfoParser)", short)
    assert isinstance(told, Event)
    assert told.row == "version-printed"


def printed(version: str) -> Parsed:
    return parse_line(f"{TIME} INFO Kafka version: {version} (org.apache.kafka.common.utils.internals.AppInfoParser)")


@pytest.mark.parametrize("release", [row for row in RELEASES if row.mask & span(">=2.8")], ids=lambda row: row.name)
def test_a_release_is_told_by_its_version(release: Release) -> None:
    for tag in release.tags:
        told = printed(tag)
        assert isinstance(told, Event)
        assert told.releases & release.mask
        assert told.detail is None


@pytest.mark.parametrize("version", ["4.5.0", "4.10.2", "5.0.0", "10.0.1", "4.5.0-SNAPSHOT"])
def test_a_version_that_is_newer_than_all_rows_is_told_as_it_is_printed(version: str) -> None:
    """Its event has the version as `detail`, and may be of any release that prints such lines: none is ruled out."""
    told = printed(version)
    assert isinstance(told, Event)
    assert (told.row, told.detail, told.releases) == ("version-printed", version, span(">=2.8"))
    assert parse_line(render(told, "4.4")) == told


@pytest.mark.parametrize("version", ["2.7.1", "7.6.0-ccs", "5.5.1-ce", "4.5", "4.4.x"])
def test_what_is_no_version_of_kafka_is_none(version: str) -> None:
    assert not isinstance(printed(version), Event)


STATE = (
    "Proposed ISR was [BrokerState(brokerId=2, brokerEpoch=12)] and current ISR is [2, 1]. Current replica set is"
    " [1, 2, 3]. Current partitionEpoch is 7. Current leaderEpoch is 4."
)


@pytest.mark.parametrize(
    ("level", "reason"),
    [
        ("DEBUG", "the current leader epoch is 4, which is lower than the request value 5"),
        ("DEBUG", "the current partition epoch is 7, which is lower than the request value 8"),
        ("DEBUG", "the current leader epoch is 4, not 3"),
        ("INFO", "the current leader is 1"),
        ("INFO", "the current partition epoch is 7, not 6"),
        ("ERROR", "it specified an invalid ISR"),
        ("ERROR", "it specified an invalid ISR that doesn't include itself"),
        (
            "INFO",
            "the ISR had more than one replica while the leader was still recovering from an unclean leader election"
            " RECOVERING",
        ),
        ("INFO", "the leader recovery state cannot change from RECOVERED to RECOVERING"),
        ("INFO", "it specified ineligible replicas [3 (fenced)] in the new ISR"),
    ],
)
def test_a_refused_request_prints_why_and_what_the_controller_has(level: str, reason: str) -> None:
    told = parse_line(
        f"{TIME} {level} [QuorumController id=3] Rejecting AlterPartition request from node 2 for a-b-0 because"
        f" {reason}. {STATE} (org.apache.kafka.controller.ReplicationControlManager)"
    )
    assert isinstance(told, Event)
    assert (told.row, told.detail, told.topic, told.partition) == ("alter-partition-refused", reason, "a-b", 0)
    assert (told.isr, told.replicas, told.partition_epoch, told.leader_epoch) == ((2, 1), (1, 2, 3), 7, 4)
    assert told.releases == span(">=4.3")


@pytest.mark.parametrize(("leader", "known"), [("-2", None), ("-1", -1), ("3", 3)])
def test_a_replayed_record_tells_the_leader_where_it_changes(leader: str, known: int | None) -> None:
    told = parse_line(
        f"{TIME} INFO [QuorumController id=1] Replayed partition assignment change PartitionChangeRecord(partitionId=0,"
        f" topicId=LTd58nUORSa8K3idnfimoQ, isr=null, leader={leader}, replicas=[3, 2, 1], removingReplicas=[1],"
        " addingReplicas=[3], leaderRecoveryState=-1, directories=null, eligibleLeaderReplicas=null, lastKnownElr=null)"
        " for topic move.d. (isr: [1, 2] -> [2], replicaSet: [1, 2] -> [3, 2, 1], partitionEpoch: 1, leaderEpoch: 0)"
        " (org.apache.kafka.controller.ReplicationControlManager)"
    )
    assert isinstance(told, Event)
    assert (told.leader, told.topic, told.topic_id) == (known, "move.d", "LTd58nUORSa8K3idnfimoQ")
    assert (told.old_isr, told.isr, told.replicas) == ((1, 2), (2,), (3, 2, 1))


@pytest.mark.parametrize(
    ("logger", "text", "row", "kind"),
    [
        ("ProcessTerminatingFaultHandler", "fatal", "fatal-fault", "fatal"),
        ("ProcessExitingFaultHandler", "fatal", "fatal-fault", "fatal"),
        ("LoggingFaultHandler", "metadata publishing", "fault-logged", "metadata publishing"),
    ],
)
def test_a_fault_is_a_line_of_its_own(logger: str, text: str, row: str, kind: str) -> None:
    message = "Error loading metadata log record from offset 12"
    told = parse_line(f"{TIME} ERROR Encountered {text} fault: {message} (org.apache.kafka.server.fault.{logger})")
    assert isinstance(told, Event)
    assert (told.row, told.kind, told.detail) == (row, kind, message)
