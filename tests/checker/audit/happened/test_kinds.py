"""Kinds of trouble that people ask about, each in the lines of Kafka that show it, and kinds that are none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from .test_nodes import at, found

THREAD = "(org.apache.kafka.common.utils.KafkaThread)"
MAIN = "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)"
FETCHER = "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]"
FETCHES = "(kafka.server.ReplicaFetcherThread)"
RECEIVED = (
    "ERROR [Broker id=1] Received LeaderAndIsrRequest with correlation id 7 from controller 3 epoch 2 for partition"
)
DIFFERS = "Tried to assign topic ID Some(A) to log for topic partition ev-0,but log already contained topic ID B"
REGISTERS = (
    "INFO [QuorumController id=1] registerBroker: event failed with UnsupportedVersionException in 311 microseconds."
)
Shown = tuple[str, int | None, str, bool]
"""An entry, its node, the beginning of its reason, and whether it is trouble."""
KINDS: dict[str, tuple[Sequence[str], list[Shown]]] = {
    "too many open files": (
        (
            at(0, "ERROR Error while accepting connection (kafka.network.Acceptor)"),
            "java.io.IOException: Too many open files",
        ),
        [("fault", None, "it could not accept a connection: IOException: Too many open files", True)],
    ),
    "no memory": (
        (
            at(0, f"ERROR Uncaught exception in thread 'kafka-request-handler-3': {THREAD}"),
            "java.lang.OutOfMemoryError: heap",
        ),
        [("fault", None, "thread kafka-request-handler-3 ended: OutOfMemoryError", True)],
    ),
    "another broker's directory": (
        (
            at(
                0,
                "ERROR [KafkaServer id=2] Fatal error during KafkaServer startup. Prepare to "
                "shutdown (kafka.server.KafkaServer)",
            ),
            "kafka.common.InconsistentBrokerIdException: Configured broker.id 2 doesn't match stored "
            "broker.id 1 in meta.",
        ),
        [("process-failed", 2, "it did not start: InconsistentBrokerIdException: Configured broker.id 2", True)],
    ),
    "a directory that was never formatted": (
        (at(0, MAIN), "java.lang.RuntimeException: No readable meta.properties files found."),
        [("process-failed", None, "RuntimeException: No readable meta.properties", True)],
    ),
    "a directory of another cluster": (
        (at(0, MAIN), "java.lang.RuntimeException: Invalid cluster.id in: /d/meta.properties. Expected A, but read B"),
        [("process-failed", None, "RuntimeException: Invalid cluster.id in: /d/meta.properties", True)],
    ),
    "settings that cannot be read, up to 1.0": (
        (
            at(0, "FATAL  (kafka.Kafka$)"),
            "org.apache.kafka.common.config.ConfigException: Invalid value x for broker.id",
        ),
        [("error-logged", None, "(kafka.Kafka$); ConfigException: Invalid value x for broker.id", False)],
    ),
    "an id that is registered": (
        (
            at(
                0,
                "FATAL [Kafka Server 2], Fatal error during KafkaServer startup. Prepare to shutdown "
                "(kafka.server.KafkaServer)",
            ),
            "java.lang.RuntimeException: A broker is already registered on the path /brokers/ids/2. This probably",
        ),
        [("process-failed", 2, "it did not start: RuntimeException: A broker is already registered", True)],
    ),
    "a leader with another topic": (
        [
            at(
                second,
                f"WARN {FETCHER} Received INCONSISTENT_TOPIC_ID from the leader for partition ev-0. "
                f"This error may be "
                f"returned transiently when the partition is being created or deleted, but it is not "
                f"expected to persist. {FETCHES}",
            )
            for second in range(0, 60, 10)
        ],
        [("fetch-refused", 1, "the leader answered INCONSISTENT_TOPIC_ID", True)],
    ),
    "a record that its leader reads otherwise": (
        (
            at(0, f"ERROR {FETCHER} Found invalid messages during fetch for partition ev-0 offset 41200 {FETCHES}"),
            "org.apache.kafka.common.errors.CorruptRecordException: Record is corrupt",
        ),
        [("fetch-refused", 1, "CorruptRecordException: Record is corrupt", False)],
    ),
    "a log of another topic": (
        (
            at(
                0,
                "ERROR [Broker id=1] Error while processing LeaderAndIsr request correlationId 3 "
                "received from controller 3 "
                "epoch 2 for partition ev-0 (state.change.logger)",
            ),
            f"org.apache.kafka.common.errors.InconsistentTopicIdException: {DIFFERS}",
        ),
        [("request-skipped", 1, f"InconsistentTopicIdException: {DIFFERS}", True)],
    ),
    "a leader that is not alive": (
        (
            at(
                0,
                f"{RECEIVED} ev-0 (last update controller epoch 1) but cannot become follower since "
                f"the new leader -1 is "
                "unavailable. (state.change.logger)",
            ),
        ),
        [("request-skipped", 1, "its new leader -1 was unavailable", False)],
    ),
    "a broker without heartbeats": (
        (
            at(
                0,
                "INFO [QuorumController id=3001] Fencing broker 2 because its session has timed out. "
                "(org.apache.kafka.controller.ReplicationControlManager)",
            ),
        ),
        [("session-expired", 2, "no heartbeat of it arrived in time", True)],
    ),
    "a broker that is too old": (
        (
            at(
                0,
                f"{REGISTERS} Exception message: Unable to register because the broker does not "
                f"support finalized version 21 of "
                "metadata.version. The broker wants a version between 1 and 20, inclusive. "
                "(org.apache.kafka.controller.QuorumController)",
            ),
        ),
        [("registration-refused", None, "controller 1 threw UnsupportedVersionException in registerBroker", True)],
    ),
    "too few in-sync replicas": (
        (
            at(
                0,
                "ERROR [ReplicaManager broker=1] Error processing append operation on partition ev-0 "
                "(kafka.server.ReplicaManager)",
            ),
            "org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR "
            "Set(1) is insufficient",
        ),
        [("append-refused", 1, "NotEnoughReplicasException: The size of the current ISR Set(1)", True)],
    ),
    "a checkpoint that cannot be read": (
        (
            at(
                0,
                "ERROR Error while reading checkpoint file /d/replication-offset-checkpoint "
                "(org.apache.kafka.storage.internals.log.LogDirFailureChannel)",
            ),
            "java.io.IOException: Malformed line in checkpoint file",
        ),
        [("directory-failed", None, "Error while reading a checkpoint: /d/replication-offset-checkpoint", True)],
    ),
    "a clean stop with KRaft": (
        (
            at(0, "INFO [KafkaRaftServer nodeId=3001] Kafka Server started (kafka.server.KafkaRaftServer)"),
            at(
                40,
                "INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)",
            ),
            at(41, "INFO [BrokerServer id=3001] shutting down (kafka.server.BrokerServer)"),
        ),
        [("process-ready", 3001, "", False), ("process-stopped", 3001, "SIGTERM was sent to it", False)],
    ),
}


@pytest.mark.parametrize(("lines", "expected"), KINDS.values(), ids=KINDS.keys())
def test_a_kind(tmp_path: Path, lines: Sequence[str], expected: list[Shown]) -> None:
    shown = found(tmp_path, *lines)
    assert [(each.what, each.node, each.trouble) for each in shown] == [
        (what, node, trouble) for what, node, _, trouble in expected
    ]
    for each, (*_, reason, _) in zip(shown, expected, strict=True):
        assert (each.reason or "").startswith(reason)


def test_an_id_above_1000_is_generated_where_no_metadata_quorum_is(tmp_path: Path) -> None:
    resigned = at(0, "INFO [Controller id=3001] Resigned (kafka.controller.KafkaController)")
    fenced = KINDS["a broker without heartbeats"][0][0]
    assert [each.what for each in found(tmp_path, resigned) if each.what == "id-generated"]
    assert not [each.what for each in found(tmp_path, resigned, fenced) if each.what == "id-generated"]
