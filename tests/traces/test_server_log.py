"""server.log of real brokers: how much of it is known, per release, and that nothing of a partition is left out."""

from __future__ import annotations

import csv
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from isrproof.specs.lines import rows
from isrproof.traces.events.event import Continuation, Event, Irrelevant, Unknown
from isrproof.traces.events.parse import parse_line

MOST_UNKNOWN = 0.02
TELLING = tuple(sorted({name for row in rows().values() if row.bears for name, _ in row.loggers}))
"""Loggers that tell what a broker did with a partition: of them no line may be unknown."""
EDITED = {"913-topic-id-mismatch.log": 2}
"""Lines that are not as Kafka printed them: somebody broke them with "#" signs when he quoted them."""


def shares(lines: Iterable[str]) -> tuple[Counter[str], list[str]]:
    """Lines with a time by what they are, and the unknown ones that tell of a partition."""
    counts: Counter[str] = Counter()
    telling = []
    for text in lines:
        parsed = parse_line(text)
        if isinstance(parsed, Continuation):
            continue
        counts["unknown" if isinstance(parsed, Unknown) else "known"] += 1
        if isinstance(parsed, Unknown) and any(f"({name})" in text or f" {name}" in text for name in TELLING):
            telling.append(text)
    return counts, telling


def read(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8", errors="replace", newline="\n") as lines:
        yield from (line.rstrip("\n") for line in lines)


@pytest.mark.corpus
def test_at_most_two_percent_of_a_release_are_unknown_and_nothing_of_a_partition(corpus: Path) -> None:
    by_release: dict[str, Counter[str]] = defaultdict(Counter)
    telling: Counter[str] = Counter()
    with (corpus.parent / "INDEX.tsv").open(encoding="utf-8") as index:
        for row in csv.DictReader(index, delimiter="\t"):
            counts, unknown = shares(read(corpus / row["file"]))
            by_release[row["kafka_version"].partition(" ")[0]] += counts
            if unknown:
                telling[row["file"]] += len(unknown)
    assert telling == EDITED
    assert sum(counts["known"] for counts in by_release.values()) > 150_000
    over = {
        release: counts for release, counts in by_release.items() if counts["unknown"] > MOST_UNKNOWN * counts.total()
    }
    assert {release: counts["unknown"] for release, counts in over.items()} == {"2.8+": 2}  # the file of EDITED


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
