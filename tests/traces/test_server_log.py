"""server.log of real brokers: how much of it is known, per release, and that nothing of a partition is left out."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import pytest
from isrproof.traces.events.event import Event, Irrelevant, Parsed, Unknown
from isrproof.traces.events.parse import parse_line

from lab.coverage import added, collected, dated, over, recorded, shares, table

EDITED = {"913-topic-id-mismatch.log": 2}
"""Lines that are not as Kafka printed them: somebody broke them with "#" signs when he quoted them."""


@pytest.mark.full
@pytest.mark.corpus
def test_at_most_two_percent_of_a_release_are_unknown_and_nothing_of_a_partition(corpus: Path) -> None:
    files = list(collected(corpus.parent / "INDEX.tsv"))
    assert {name: counts["of_partitions"] for _, name, counts in files if counts["of_partitions"]} == EDITED
    assert sum(map(dated, (counts for _, _, counts in files))) > 150_000
    found = added((key, counts) for key, _, counts in files)
    assert over(found) == [("2.8+", "other")]  # the file of EDITED


def test_recordings_are_known_but_for_few_lines() -> None:
    found = added(recorded())
    assert over(found) == []
    assert not sum(counts["of_partitions"] for counts in found.values())
    for file in ("server.log", "state-change.log"):
        assert len([release for release, which in found if which == file]) >= 6
    assert len(table(found)) == len(found) + 2


def test_a_line_that_tells_of_a_partition_must_be_known() -> None:
    told = "[2020-09-01 10:00:00,001] INFO [Broker id=1] Leader t-0 does what nobody knows (state.change.logger)"
    other = "[2020-09-01 10:00:00,001] INFO Whatever (some.other.Logger)"
    counts = shares([told, other, "continued"])
    assert (counts["unknown"], counts["of_partitions"]) == (2, 1)
    assert over({("3.9.1", "other"): counts}) == [("3.9.1", "other")]
    assert over({("3.9.1", "other"): shares([other])}) == []
    assert over({("3.9.1", "server.log"): shares([other])}) == [("3.9.1", "server.log")]


@pytest.mark.corpus
def test_clusters_with_producers_are_known_to_the_last_line(corpus: Path) -> None:
    samples = corpus.parents[1] / "kafka" / "traffic-samples.tar.xz"
    if not samples.exists():
        pytest.skip("no traffic-samples.tar.xz beside the corpus")
    understood: Counter[str] = Counter()
    with tarfile.open(samples) as archive:
        for member in archive:
            if not member.name.endswith(".log"):
                continue
            file = archive.extractfile(member)
            assert file is not None
            for line in file.read().decode("utf-8").splitlines():
                parsed = parse_line(line)
                assert not isinstance(parsed, Unknown), line
                if isinstance(parsed, Event | Irrelevant):
                    understood[parsed.row] += 1
    assert {"leader-starts", "leader-started", "follower-started", "isr-shrinks", "isr-expands", "isr-updated"} <= {
        *understood
    }
    assert {"log-truncated", "high-watermark-fell", "fetchers-added", "fetch-failed", "process-starts"} <= {*understood}


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("INFO [ZooKeeperClient] Connected. (kafka.zookeeper.ZooKeeperClient)", "zookeeper-client"),
        ("INFO Anything at all (kafka.coordinator.group.GroupCoordinator)", "groups-and-transactions"),
        ("WARN Anything at all (kafka.network.Processor$$anon$1)", "connections-and-clients"),
        ("INFO KafkaConfig values: ", "long-message"),
        ("INFO  (kafka.Kafka$)", "start-and-settings"),
        ("INFO [KafkaServer id=1] Anything else (kafka.server.KafkaServer)", "server-other"),
        ("INFO Completed load of log x (kafka.log.LogManager)", "log-manager-other"),
    ],
)
def test_the_rest_is_told_by_its_logger(text: str, row: str) -> None:
    parsed = parse_line(f"[2018-08-03 12:00:00,123] {text}")
    assert isinstance(parsed, Irrelevant)
    assert parsed.row == row


@pytest.mark.parametrize(
    "text",
    [
        "INFO Anything at all (kafka.zookeeperish.Client)",
        "INFO [Partition t-0 broker=1] Something new (kafka.cluster.Partition)",
        "INFO [Partition t-0 broker=1] Shrinking ISR from 1,2 to (kafka.cluster.Partition)",
        "INFO [UnifiedLog partition=t-0, dir=/d] Truncating to offset many (kafka.log.UnifiedLog)",
        "INFO [ReplicaManager broker=1] Something new (kafka.server.ReplicaManager)",
        "INFO [KafkaApi-1] Received LeaderAndIsr request with broker epoch x smaller than the current broker epoch 2"
        " (kafka.server.KafkaApis)",
        "INFO KafkaConfig value: ",
    ],
)
def test_what_may_tell_of_a_partition_is_not_told_by_its_logger(text: str) -> None:
    assert isinstance(parse_line(f"[2018-08-03 12:00:00,123] {text}"), Unknown)


def test_a_long_topic_and_a_long_directory_are_read() -> None:
    topic, folder = "t" * 249, "/d" * 120
    line = f"[2022-06-01 10:00:00,000] INFO [UnifiedLog partition={topic}-7, dir={folder}] Truncating to offset 5"
    parsed = parse_line(f"{line} (kafka.log.UnifiedLog)")
    assert isinstance(parsed, Event)
    assert (parsed.topic, parsed.partition, parsed.dir, parsed.offset) == (topic, 7, folder, 5)


def shrinking(lagging: str) -> Parsed:
    return parse_line(
        "[2021-05-01 10:00:45,010] INFO [Partition t-0 broker=1] Shrinking ISR from 1,2,3 to 1. Leader: (highWatermark:"
        f" 118, endOffset: 130). Out of sync replicas: {lagging}. (kafka.cluster.Partition)"
    )


def test_of_a_member_that_is_no_replica_no_end_is_known() -> None:
    """KAFKA-9672, since 3.0: a stranger may be in the ISR. The list is not read then: it is not whole."""
    known = shrinking("(brokerId: 2, endOffset: 5) (brokerId: 3, endOffset: 7)")
    assert isinstance(known, Event)
    assert known.lagging == (2, 5, 3, 7)
    for unknown in (
        "(brokerId: 2, endOffset: 5) (brokerId: 3, endOffset: unknown)",
        "(brokerId: 3, endOffset: unknown, lastCaughtUpTimeMs: unknown)",
    ):
        found = shrinking(unknown)
        assert isinstance(found, Event)
        assert (found.row, found.old_isr, found.isr, found.lagging) == ("isr-shrinks", (1, 2, 3), (1,), None)


@pytest.mark.parametrize("corrupt", ["", "()", "(brokerId: 2, endOffset: )", "(brokerId: 2, endOffset: 5"])
def test_a_list_of_lagging_replicas_that_is_corrupt_is_named(corrupt: str) -> None:
    found = shrinking(corrupt)
    assert isinstance(found, Unknown)
    assert found.wrong == f"{corrupt!r} as lagging of isr-shrinks"
