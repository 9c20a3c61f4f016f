"""Short excerpts, as people quote them: connections, threads that end, throwables alone, lines cut or "
"without a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from .test_nodes import at, found

CLIENT = "(org.apache.kafka.clients.NetworkClient)"
RAFT = "(org.apache.kafka.raft.KafkaRaftClient)"
CLUSTER = (
    "kafka.common.InconsistentClusterIdException: The Cluster ID A doesn't match stored clusterId Some(B) in meta."
)
LEFT = (
    "INFO [RaftManager id=3] Completed transition to Unattached(epoch=8, voters=[3, 4, 5], "
    "electionTimeoutMs=1598) from "
    "Leader(localId=3, epoch=7, epochStartOffset=40, highWatermark=Optional[LogOffsetMetadata(offset=52, metadata="
    "Optional[(segmentBaseOffset=40,relativePositionInSegment=98)])], voterStates={3=ReplicaState(nodeId=3, endOff"
)
TIMEOUT = (
    f"INFO [RaftManager id=3] Election has timed out, backing off for 900ms before becoming a candidate again {RAFT}"
)
SELECTOR = "(org.apache.kafka.common.network.Selector)"
LOADER = (
    "INFO [MetadataLoader id=4] initializeNewPublishers: the loader is still catching up because we still don't know "
    "the high water mark yet. (org.apache.kafka.image.loader.MetadataLoader)"
)
MOVED = (
    "INFO [RaftManager id=3] Completed transition to Unattached(epoch={}, voters=[3, 4, 5], "
    "electionTimeoutMs=1909) from"
)
UNATTACHED = (
    f"{MOVED} Unattached(epoch={{}}, voters=[3, 4, 5], electionTimeoutMs=1880) (org.apache.kafka.raft.QuorumState)"
)
FETCH = (
    "WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Error in response for fetch request "
    "(type=FetchRequest, "
    "replicaId=1, maxWait=500) (kafka.server.ReplicaFetcherThread)"
)
REFUSED = "java.io.IOException: Connection to 2 was disconnected before the response was read"
STARTUP = (
    "ERROR [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)"
)
TAKEN = (
    "ERROR Error while creating ephemeral at /brokers/ids/2, node already exists and owner '7' does not match current "
    "session '8' (kafka.zk.KafkaZkClient$CheckedEphemeral)"
)
EXCERPTS: dict[str, tuple[Sequence[str], list[tuple[str, int | None, str, bool]]]] = {
    "a throwable before any line": (
        (
            CLUSTER,
            "\tat kafka.server.KafkaServer.startup(KafkaServer.scala:252)",
            at(0, "INFO shutting down (kafka.server.KafkaServer)"),
        ),
        [("process-failed", None, "InconsistentClusterIdException: The Cluster ID A", True)],
    ),
    "a throwable quoted": (
        (
            "It fails now and then when we start the containers.",
            "",
            f"`{CLUSTER}",
            "\tat kafka.Kafka.main(Kafka.scala)`",
        ),
        [("process-failed", None, "The Cluster ID A", True)],
    ),
    "an exception of the main thread": (
        ('Exception in thread "main" java.lang.IllegalArgumentException: requirement failed: no listener',),
        [("process-failed", None, "it did not start: java.lang.IllegalArgumentException: requirement failed", True)],
    ),
    "an exception of the main thread, on two lines": (
        (
            'kafka-1  | Exception in thread "main" ',
            "kafka-1  | java.lang.IllegalArgumentException: requirement failed: no listener",
        ),
        [("process-failed", None, "it did not start: IllegalArgumentException: requirement failed", True)],
    ),
    "the first line has lost its time": (
        ("We get this although it was cleaned up before", "```", TAKEN, at(0, STARTUP), "```"),
        [
            ("process-failed", 2, "it did not start", True),
            ("registration-refused", 2, "belongs to another session", True),
        ],
    ),
    "the last line is cut": (
        (at(0, f"INFO [RaftManager id=3] Beginning graceful shutdown {RAFT}"), at(1, LEFT)),
        [("process-stopped", 3, "", False), ("quorum-led", 3, "", False)],
    ),
    "a start that fails again and again": (
        (at(0, STARTUP), at(0, STARTUP), at(19, STARTUP), at(38, STARTUP)),
        [("process-failed", 2, "it did not start", True)],
    ),
    "no connection of a voter": (
        (
            at(0, LOADER),
            at(
                0,
                "WARN [RaftManager id=4] Connection to node 5 (k5/10.0.0.5:9093) could not be "
                f"established. Node may not be available. {CLIENT}",
            ),
        ),
        [("metadata-awaited", 4, "", False), ("voter-unreachable", 5, "could not be reached by node 4, once", False)],
    ),
    "an election in vain": (
        (at(0, f"INFO Nothing else {RAFT}"), at(0, TIMEOUT)),
        [("quorum-without-leader", None, "no earlier leader is known", True)],
    ),
    "three epochs without a leader, at once": (
        (at(0, UNATTACHED.format(45, 44)), at(0, UNATTACHED.format(46, 45))),
        [("quorum-without-leader", None, "no leader in epochs 44 to 46", True)],
    ),
    "a fetch that fails": (
        (at(0, FETCH), REFUSED, at(9, FETCH), REFUSED),
        [("broker-unreachable", 2, "a fetch from it failed: IOException", True)],
    ),
    "brokers that a controller cannot reach": (
        (
            at(
                0,
                "WARN [Controller id=2, targetBrokerId=3] Connection to node 3 could not be established. "
                f"Broker may not be available. {CLIENT}",
            ),
            at(
                1,
                "WARN [Controller id=2, targetBrokerId=1] Error connecting to node k1:9092 (id: 1 rack: "
                f"null) {CLIENT}",
            ),
            "java.net.UnknownHostException: k1",
        ),
        [
            ("broker-unreachable", 3, "broker 2 could not connect to it", False),
            ("broker-unreachable", 1, "UnknownHostException", False),
        ],
    ),
    "connections without authentication": (
        (
            at(
                0,
                "INFO [SocketServer brokerId=1] Failed authentication with /10.0.0.9 (SSL handshake "
                f"failed) {SELECTOR}",
            ),
            at(
                1,
                "INFO [SocketServer listenerType=CONTROLLER, nodeId=1] Failed authentication with "
                f"/10.0.0.9 (channelId=10.0.0.1:9093-10.0.0.9:58-0) (SSL handshake failed) {SELECTOR}",
            ),
        ),
        [("connection-refused", 1, "/10.0.0.9: SSL handshake failed", False)],
    ),
    "no ZooKeeper": (
        (
            at(
                0,
                "WARN Client session timed out, have not heard from server in 6004ms for sessionid 0x0 "
                "(org.apache.zookeeper.ClientCnxn)",
            ),
        ),
        [("zookeeper-unreachable", None, "it did not answer in time", False)],
    ),
    "a thread that ends": (
        (
            at(
                0,
                "ERROR [ExpirationReaper-1-Fetch]: Error due to "
                "(kafka.server.DelayedOperationPurgatory$ExpiredOperationReaper)",
            ),
            "java.lang.OutOfMemoryError: Java heap space",
        ),
        [("fault", None, "thread ExpirationReaper-1-Fetch ended: OutOfMemoryError: Java heap space (its heap", True)],
    ),
    "a fetcher that ends": (
        (at(0, "ERROR [ReplicaFetcherThread-0-2], Error due to  (kafka.server.ReplicaFetcherThread)"),),
        [("fault", None, "its thread that fetches from broker 2 ended", True)],
    ),
    "no memory outside the heap": (
        (
            at(0, "ERROR Processor got uncaught exception. (kafka.network.Processor)"),
            "java.lang.OutOfMemoryError: Cannot reserve 9 bytes of direct buffer memory (limit: 8)",
        ),
        [("fault", None, "MaxDirectMemorySize", True)],
    ),
    "an overloaded controller": (
        (
            at(
                0,
                "ERROR [QuorumController id=1] processExpiredBrokerHeartbeat: controller event queue "
                "overloaded. Timed out heartbeat from broker 2. "
                "(org.apache.kafka.controller.ReplicationControlManager)",
            ),
        ),
        [("fault", 1, "a heartbeat of broker 2 timed out", True)],
    ),
    "a disk that is full": (
        (at(0, "WARN Disk quota exceeded (kafka.utils.CoreUtils$)"), "java.io.IOException: Disk quota exceeded"),
        [("fault", None, "its disk is full, by a quota", True)],
    ),
    "a directory that had failed before, in each thread that closes its logs": (
        tuple(
            at(
                milliseconds,
                "WARN There was an error in one of the threads during LogManager shutdown: "
                "org.apache.kafka.common.errors.KafkaStorageException: "
                "The log dir /d1 is already offline due to a previous IO exception. (kafka.log.LogManager)",
            )
            for milliseconds in (0, 0, 3)
        ),
        [("directory-failed", None, "found as it stopped: /d1", True)],
    ),
    "as Quarkus prints it": (
        (
            "k-1  | 2025-03-04 09:00:00,730 ERROR [org.apa.kaf.sto.int.log.LogDirFailureChannel] (h-6) "
            "Error while appending records to t-0 in dir /d1: java.io.IOException: No space left on "
            "device",
        ),
        [("directory-failed", None, "No space left on device (its disk is full)", True)],
    ),
    "a message within a sentence": (
        (
            "Then our first node says: [BrokerLifecycleManager id=1] Shutting down because we were "
            "unable to register with the controller quorum.",
        ),
        [("registration-timed-out", 1, "it shuts down", True)],
    ),
}


@pytest.mark.parametrize("name", EXCERPTS)
def test_excerpts_are_answered(name: str, tmp_path: Path) -> None:
    lines, expected = EXCERPTS[name]
    entries = found(tmp_path, *lines)
    shown = [(each.what, each.node, each.trouble) for each in entries]
    assert shown == [(what, node, trouble) for what, node, _, trouble in expected]
    assert all(part in (each.reason or "") for each, (_, _, part, _) in zip(entries, expected, strict=True))


def test_a_broker_that_was_shut_down_in_order_is_not_missed(tmp_path: Path) -> None:
    stops = "INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer)"
    entries = found(tmp_path, at(0, stops), at(1, FETCH), REFUSED, at(9, FETCH), REFUSED)
    assert [(each.what, each.trouble, each.lasts) for each in entries] == [
        ("process-stopped", False, False),
        ("broker-unreachable", False, False),
    ]
