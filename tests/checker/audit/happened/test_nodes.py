"""Nodes in `happened`: starts, ends, failures, losses, registrations, sessions, connections."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options

START = "[2025-03-04 09:00:0{}] INFO starting (kafka.server.KafkaServer)"
READY = "INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"
STOPS = "INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)"
STOPPED = "INFO [KafkaServer id=1] shut down completed (kafka.server.KafkaServer)"
NODE = {"process-started", "process-ready", "process-stopped", "process-failed", "process-lost"}


def found(folder: Path, *lines: str, name: str = "server.log", options: Options | None = None) -> list[Happened]:
    """Return what happened by a log: a line without a time has the time of its number."""
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (report,) = audit([str(folder / name)], options)
    return list(report.happened)


def at(second: int, text: str) -> str:
    return f"[2025-03-04 09:{second // 60:02d}:{second % 60:02d},000] {text}"


def said(entries: Sequence[Happened]) -> list[tuple[str, int | None, str | None]]:
    return [(each.what, each.node, each.reason) for each in entries]


STARTS = "INFO starting (kafka.server.KafkaServer)"
POSTS = {
    "another cluster": (
        (
            at(0, "INFO starting (kafka.server.KafkaServer)"),
            at(1, "ERROR Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)"),
            "kafka.common.InconsistentClusterIdException: The Cluster ID A doesn't match stored clusterId Some(B) in "
            "meta.properties. The broker is trying to join the wrong cluster.",
            "\tat kafka.server.KafkaServer.startup(KafkaServer.scala:230)",
            at(2, "INFO shutting down (kafka.server.KafkaServer)"),
            at(3, "INFO shut down completed (kafka.server.KafkaServer)"),
            at(4, "ERROR Exiting Kafka. (kafka.server.KafkaServerStartable)"),
        ),
        [("process-started", None, ""), ("process-failed", None, "InconsistentClusterIdException: The Cluster ID A")],
    ),
    "a directory in use": (
        (
            at(0, "ERROR Exiting Kafka due to fatal exception during startup. (kafka.Kafka$)"),
            "org.apache.kafka.common.KafkaException: Failed to acquire lock on file .lock in /d1. A Kafka instance in "
            "another process or thread is using this directory.",
        ),
        [("process-failed", None, "Failed to acquire lock on file .lock in /d1")],
    ),
    "a port in use": (
        (
            at(
                0,
                "ERROR [BrokerServer id=1] Received a fatal error while waiting for all of the SocketServer Acceptors "
                "to be started (kafka.server.BrokerServer)",
            ),
            "java.lang.RuntimeException: Unable to start acceptor for ListenerName(PLAINTEXT)",
            "\tat kafka.network.SocketServer.enable(SocketServer.scala:1)",
            "Caused by: java.net.BindException: Address already in use",
            "\t... 12 more",
            at(
                1,
                "ERROR [BrokerServer id=1] Fatal error during broker startup. Prepare to shutdown "
                "(kafka.server.BrokerServer)",
            ),
            at(1, "INFO [BrokerServer id=1] shutting down (kafka.server.BrokerServer)"),
        ),
        [("process-failed", 1, "cause: BindException: Address already in use (another process listens on its port)")],
    ),
    "no registration in time": (
        (
            at(0, "INFO [BrokerServer id=2] Starting broker (kafka.server.BrokerServer)"),
            at(
                60,
                "ERROR [BrokerLifecycleManager id=2] Shutting down because we were unable to register with the "
                "controller quorum. (kafka.server.BrokerLifecycleManager)",
            ),
            at(
                60,
                "ERROR [BrokerServer id=2] Received a fatal error while waiting for the controller to acknowledge that "
                "we are caught up (kafka.server.BrokerServer)",
            ),
            "java.util.concurrent.CancellationException",
        ),
        [
            ("process-started", 2, ""),
            ("registration-timed-out", 2, ""),
            ("process-failed", 2, "waited in vain for the"),
        ],
    ),
    "an id that is taken": (
        (
            at(
                0,
                "ERROR Error while creating ephemeral at /brokers/ids/3, node already exists and owner '1' does not "
                "match current session '2' (kafka.zk.KafkaZkClient$CheckedEphemeral)",
            ),
        ),
        [("registration-refused", 3, "/brokers/ids/3 belongs to another session")],
    ),
    "an old session": (
        (
            at(
                0,
                "WARN Unable to reconnect to ZooKeeper service, session 0x1 has expired "
                "(org.apache.zookeeper.ClientCnxn)",
            ),
            at(0, "INFO [ZooKeeperClient Kafka server] Session expired. (kafka.zookeeper.ZooKeeperClient)"),
        ),
        [("session-expired", None, "")],
    ),
    "an old client of ZooKeeper": (
        (at(0, "INFO zookeeper state changed (Expired) (org.I0Itec.zkclient.ZkClient)"),),
        [("session-expired", None, "")],
    ),
    "a full disk": (
        (
            at(0, "ERROR Error while appending records to t-0 in dir /d1 (kafka.server.LogDirFailureChannel)"),
            "java.io.IOException: No space left on device",
            at(
                0,
                "INFO [ReplicaManager broker=1] Broker 1 stopped fetcher for partitions t-0 and stopped moving logs "
                "for partitions  because they are in the failed log directory /d1. (kafka.server.ReplicaManager)",
            ),
            at(1, "ERROR Shutdown broker because all log dirs in /d1 have failed (kafka.log.LogManager)"),
        ),
        [
            ("directory-failed", 1, "(its disk is full)"),
            ("process-failed", 1, "all of its log directories failed: /d1"),
        ],
    ),
    "a disk of 0.10": (
        (
            at(
                0,
                "FATAL [Replica Manager on Broker 4]: Halting due to unrecoverable I/O error while handling produce "
                "request:  (kafka.server.ReplicaManager)",
            ),
            "kafka.common.KafkaStorageException: I/O exception in append to log 't-0'",
        ),
        [("process-failed", 4, "a disk failed: KafkaStorageException: I/O exception in append")],
    ),
    "no memory maps": (
        (
            at(
                0,
                "ERROR Uncaught exception in thread 'kafka-request-handler-1': "
                "(org.apache.kafka.common.utils.KafkaThread)",
            ),
            "java.lang.OutOfMemoryError: Map failed",
        ),
        [("fault", None, "vm.max_map_count")],
    ),
    "a cleaner that died": (
        (
            at(0, "ERROR [kafka-log-cleaner-thread-0]: Error due to (kafka.log.LogCleaner)"),
            "java.lang.IllegalArgumentException: requirement failed: largest offset in message set can not be safely "
            "converted to relative offset.",
            "\tat kafka.log.LogSegment.append(LogSegment.scala:121)",
        ),
        [("fault", None, "(KAFKA-6264, fixed in 2.0.0)")],
    ),
    "a quorum thread that died": (
        (
            at(0, "ERROR [kafka-raft-io-thread]: Error due to (kafka.raft.KafkaRaftManager$RaftIoThread)"),
            "java.lang.IllegalStateException: no",
        ),
        [("fault", None, "(KAFKA-14644, fixed in 3.4.1 and 3.5.0)")],
    ),
    "no controlled shutdown": (
        (
            at(
                0, "INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"
            ),
            at(1, "INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)"),
            at(
                9,
                "WARN [KafkaServer id=1] Proceeding to do an unclean shutdown as all the controlled shutdown attempts "
                "failed (kafka.server.KafkaServer)",
            ),
        ),
        [("process-stopped", 1, "SIGTERM"), ("controlled-shutdown-failed", 1, "")],
    ),
    "a controller out of reach": (
        tuple(
            at(
                second,
                "WARN [NodeToControllerChannelManager id=1 name=heartbeat] Connection to node 3 (/10.0.0.3:9093) could "
                "not be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            )
            for second in range(40)
        ),
        [("controller-unreachable", 3, "node 1 could not connect to it")],
    ),
    "no heap": (
        (at(0, READY), "Terminating due to java.lang.OutOfMemoryError: Java heap space"),
        [("process-ready", 1, ""), ("process-failed", 1, "Java heap space")],
    ),
}
"""Lines as people post them, and what happened, with a part of each reason."""


@pytest.mark.parametrize("name", POSTS)
def test_posts_are_answered(name: str, tmp_path: Path) -> None:
    lines, expected = POSTS[name]
    entries = found(tmp_path, *lines)
    assert [(what, node) for what, node, _ in said(entries)] == [(what, node) for what, node, _ in expected]
    assert all(part in (each.reason or "") for each, (_, _, part) in zip(entries, expected, strict=True))
    assert {each.trouble for each in entries if each.what not in NODE - {"process-failed"}} <= {True}


def test_a_restart_in_order_is_no_trouble(tmp_path: Path) -> None:
    run = (STARTS, READY, STOPS, STOPPED)
    entries = found(tmp_path, *(at(number * 5, text) for number, text in enumerate(run * 3)))
    assert [(each.what, each.count) for each in entries] == [
        ("process-started", 3),
        ("process-ready", 3),
        ("process-stopped", 3),
    ]
    assert not any(each.trouble for each in entries)


def test_a_start_without_an_end_before_it_is_a_loss(tmp_path: Path) -> None:
    lines = [at(0, STARTS), at(5, READY), at(60, STARTS), at(65, READY)]
    lost = [each for each in found(tmp_path, *lines) if each.what == "process-lost"]
    assert [(each.node, each.since, [place.line for place in each.places]) for each in lost] == [
        (1, 1_741_078_860_000, [3, 2])
    ]
    assert lost[0].trouble
    for kept in (STOPS, "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)"):
        assert "process-lost" not in {each.what for each in found(tmp_path, *lines[:2], at(30, kept), *lines[2:])}


def test_where_lines_may_be_missing_nothing_is_lost(tmp_path: Path) -> None:
    lines = [at(0, STARTS), at(5, READY), at(60, STARTS), at(65, READY)]
    entries = found(tmp_path, *lines, options=Options(lossy=True))
    assert "process-lost" not in {each.what for each in entries}
    broken = [*lines[:2], "[2025-03-04 09:00:10,000] INFO [Partition t-0 brok", *lines[2:]]
    assert "process-lost" not in {each.what for each in found(tmp_path, *broken)}


@pytest.mark.parametrize(("second", "loses"), [("server.log.1", True), ("server.log.2", False)])
def test_a_file_of_the_rotation_that_is_missing_may_have_the_end(second: str, loses: bool, tmp_path: Path) -> None:
    (tmp_path / second).write_text(f"{at(0, STARTS)}\n{at(5, READY)}\n", encoding="utf-8")
    (tmp_path / "server.log").write_text(f"{at(60, STARTS)}\n{at(65, READY)}\n", encoding="utf-8")
    (report,) = audit([str(tmp_path)])
    assert ("process-lost" in {each.what for each in report.happened}) == loses


def test_lines_that_are_there_twice_are_no_second_process(tmp_path: Path) -> None:
    run = [at(0, STARTS), at(0, STARTS), at(5, READY), at(5, READY), at(60, STOPS), at(60, STOPS)]
    entries = found(tmp_path, *run)
    assert [each.what for each in entries] == ["process-started", "process-ready", "process-stopped"]


def test_two_nodes_in_one_file_are_not_one_after_the_other(tmp_path: Path) -> None:
    one, two = (
        f"INFO [BrokerServer id={n}] Transition from SHUTDOWN to STARTING (kafka.server.BrokerServer)" for n in (1, 2)
    )
    ready = (f"INFO [KafkaRaftServer nodeId={n}] Kafka Server started (kafka.server.KafkaRaftServer)" for n in (1, 2))
    lines = [at(0, one), at(5, next(ready)), at(10, two), at(15, next(ready))]
    assert [(each.what, each.node) for each in found(tmp_path, *lines)] == [
        ("process-started", 1),
        ("process-ready", 1),
        ("process-started", 2),
        ("process-ready", 2),
    ]


def test_a_controller_and_a_broker_of_one_process_are_one(tmp_path: Path) -> None:
    lines = [
        at(0, "INFO [ControllerServer id=1] Starting controller (kafka.server.ControllerServer)"),
        at(9, "INFO [BrokerServer id=1] Transition from SHUTDOWN to STARTING (kafka.server.BrokerServer)"),
        at(9, "INFO [BrokerServer id=1] Starting broker (kafka.server.BrokerServer)"),
        at(20, "INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)"),
        at(50, "INFO [BrokerServer id=1] shutting down (kafka.server.BrokerServer)"),
        at(51, "INFO [ControllerServer id=1] shutting down (kafka.server.ControllerServer)"),
    ]
    assert [(each.what, each.count) for each in found(tmp_path, *lines)] == [
        ("process-started", 1),
        ("process-ready", 1),
        ("process-stopped", 1),
    ]


def test_an_error_after_the_order_to_stop_is_a_fault(tmp_path: Path) -> None:
    lines = [
        at(0, READY),
        at(10, "INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"),
        at(11, "ERROR Encountered fatal fault: no (org.apache.kafka.server.fault.ProcessTerminatingFaultHandler)"),
    ]
    assert [each.what for each in found(tmp_path, *lines)] == ["process-ready", "process-stopped", "fault"]


GONE = (
    "INFO [Controller id=2] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2,3"
    " (kafka.controller.KafkaController)"
)


@pytest.mark.parametrize(
    ("last", "seen", "loses"),
    [(60, 66, True), (60, 55, False), (60, 400, False)],
    ids=["seen to go at once", "alive after that", "seen much later: its lines may not have been collected"],
)
def test_lines_that_end_are_a_loss_where_others_see_the_broker_go(
    last: int, seen: int, loses: bool, tmp_path: Path
) -> None:
    for node, lines in {
        1: [at(0, STARTS), at(5, READY), at(last, "INFO Rolled (kafka.log.Log)")],
        2: [at(seen, GONE)],
    }.items():
        (tmp_path / f"broker-{node}").mkdir()
        (tmp_path / f"broker-{node}" / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (report,) = audit([str(tmp_path)])
    lost = [each for each in report.happened if each.what == "process-lost"]
    assert [each.node for each in lost] == [1] * loses


def test_a_stop_that_others_see_is_no_loss(tmp_path: Path) -> None:
    lines = [at(0, STARTS), at(5, READY), at(60, STOPS), at(61, STOPPED)]
    for node, own in {1: lines, 2: [at(66, GONE)]}.items():
        (tmp_path / f"broker-{node}").mkdir()
        (tmp_path / f"broker-{node}" / "server.log").write_text("\n".join(own) + "\n", encoding="utf-8")
    (report,) = audit([str(tmp_path)])
    assert "process-lost" not in {each.what for each in report.happened}


REFUSED = (
    "INFO [BrokerLifecycleManager id=1] Unable to register broker 1 because the controller returned error {}"
    " (kafka.server.BrokerLifecycleManager)"
)
UNFENCED = (
    "INFO [BrokerLifecycleManager id=1] The broker has been unfenced. Transitioning from RECOVERY to RUNNING."
    " (kafka.server.BrokerLifecycleManager)"
)


def test_a_registration_that_is_refused_for_seconds_is_no_trouble(tmp_path: Path) -> None:
    refused = [at(second, REFUSED.format("DUPLICATE_BROKER_REGISTRATION")) for second in range(8)]
    first, *_ = found(tmp_path, *refused, at(9, UNFENCED))
    assert (first.what, first.count, first.trouble) == ("registration-refused", 8, False)
    (only,) = found(tmp_path, *refused)
    assert (only.trouble, only.lasts) == (True, True)
    first, *_ = found(tmp_path, *refused, at(90, UNFENCED))
    assert first.trouble


def test_a_refused_node_that_no_line_names_is_served_with_the_first_that_serves_after_it(tmp_path: Path) -> None:
    """A broker that starts in 3.7 sends a heartbeat of its earlier registration (KAFKA-16952)."""
    stale = (
        "INFO [QuorumController id=1] processBrokerHeartbeat: event failed with StaleBrokerEpochException in 88"
        " microseconds. (org.apache.kafka.controller.QuorumController)"
    )
    refused = [at(0, stale), at(1, stale)]
    first, *_ = found(tmp_path, *refused, at(2, UNFENCED))
    assert (first.what, first.node, first.lasts, first.trouble) == ("registration-refused", None, False, False)
    first, *_ = found(tmp_path, at(0, stale), at(1, UNFENCED), at(2, stale))
    assert (first.what, first.lasts, first.trouble) == ("registration-refused", True, True)


def test_a_controller_that_is_not_active_sends_nodes_on(tmp_path: Path) -> None:
    assert found(tmp_path, at(0, REFUSED.format("NOT_CONTROLLER")), at(1, READY))[0].what == "process-ready"


def test_connections_that_fail_for_seconds_on_two_days_are_no_outage(tmp_path: Path) -> None:
    text = (
        "WARN [NodeToControllerChannelManager id=1 name=heartbeat] Connection to node 3 (/10.0.0.3:9093) could not be "
        "established. Node may not be available. (org.apache.kafka.clients.NetworkClient)"
    )
    lines = [at(second, text) for second in (*range(30, 40), *range(900, 910))]
    (only,) = [each for each in found(tmp_path, *lines, at(960, READY)) if each.what == "controller-unreachable"]
    assert (only.node, only.count, only.trouble, only.longest) == (3, 20, False, 9_000)
