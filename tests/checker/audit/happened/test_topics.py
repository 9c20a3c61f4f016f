"""Topics: created, deleted, stuck; reassignments; unclean elections: one entry however many lines and nodes say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened

KAFKA_CONTROLLER, DELETION = "kafka.controller.KafkaController", "kafka.controller.TopicDeletionManager"
REPLICATION = "org.apache.kafka.controller.ReplicationControlManager"
OLD_MAP = (
    "Map([Topic=old,Partition=1,Replica=5] -> ReplicaDeletionIneligible, "
    "[Topic=old,Partition=1,Replica=3] -> OnlineReplica)"
)
"""As ReplicaStateMachine.startup prints it."""


def line(second: int, text: str, logger: str = KAFKA_CONTROLLER, level: str = "INFO") -> str:
    return f"[2025-03-04 09:00:{second:02},000] {level} {text} ({logger})"


def happened(folder: Path, *lines: str) -> list[tuple[str, str | None, int | None, bool, str | None]]:
    return [(each.what, each.topic, each.partition, each.trouble, each.reason) for each in entries(folder, *lines)]


def entries(folder: Path, *lines: str) -> list[Happened]:
    (folder / "controller.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [*audit([str(folder)])[0].happened]


def machine_started(second: int) -> str:
    text = f"[Replica state machine on controller 1]: Started replica state machine with initial state -> {OLD_MAP}"
    return line(second, text, "kafka.controller.ReplicaStateMachine")


def test_the_replica_that_keeps_a_topic_is_named(tmp_path: Path) -> None:
    found = happened(
        tmp_path,
        machine_started(1),
        line(
            2,
            "[delete-topics-thread-1], Not retrying deletion of topic old at this time since it is marked "
            "ineligible for deletion",
            "kafka.controller.TopicDeletionManager$DeleteTopicsThread",
        ),
    )
    reason = "replica 5 of old-1 is not eligible; marked ineligible for deletion"
    assert found == [("deletion-stuck", "old", None, True, reason)]


def test_a_replica_of_a_dead_broker_is_no_trouble_for_a_topic_that_nobody_deletes(tmp_path: Path) -> None:
    ineligible = line(2, "[Controller 1]: List of topics ineligible for deletion: old")
    assert not happened(tmp_path, machine_started(1), ineligible)
    queued = line(0, "[Controller 1]: List of topics to be deleted: old")
    assert [each[0] for each in happened(tmp_path, queued, machine_started(1), ineligible)] == [
        "deletion-running",
        "deletion-stuck",
    ]


def test_a_directory_that_keeps_a_topic_is_named_once(tmp_path: Path) -> None:
    found = happened(
        tmp_path,
        line(
            1,
            "[Broker id=0] Ignoring StopReplica request (delete=true) from controller 0 with correlation id 5 epoch 3 "
            "for partition ev-0 as the local replica for the partition is in an offline log directory",
            "state.change.logger",
            "ERROR",
        ),
        line(
            2,
            "[Controller id=0] Delete topic callback invoked on StopReplica response received from broker 0: request "
            "error = NONE, partition errors = Map(ev-0 -> KAFKA_STORAGE_ERROR, ev-1 -> NONE)",
            level="DEBUG",
        ),
        line(3, "[Topic Deletion Manager 0] Halted deletion of topics ev due to replica deletion failure", DELETION),
    )
    reason = "replica 0 of ev-0 is in an offline log directory; replica deletion failure"
    assert ("deletion-stuck", "ev", None, True, reason) in found
    assert sum(each[0] == "deletion-stuck" for each in found) == 1


def test_a_deletion_that_is_halted_and_then_completed_is_no_trouble(tmp_path: Path) -> None:
    found = happened(
        tmp_path,
        line(1, "[Controller id=0] Starting topic deletion for topics ev,u"),
        line(2, "[Topic Deletion Manager 0] Halted deletion of topics ev due to offline replicas", DELETION),
        line(9, "[Topic Deletion Manager 0] Deletion of topic ev successfully completed", DELETION),
    )
    assert found == [
        ("deletion-running", "ev", None, False, None),
        ("deletion-running", "u", None, False, None),
        ("deletion-stuck", "ev", None, False, "offline replicas"),
        ("deleted", "ev", None, False, None),
    ]


@pytest.mark.parametrize("removed", ["Set()", "Set(a, b)"])
def test_deletions_that_are_disabled_are_stuck(removed: str, tmp_path: Path) -> None:
    found = happened(tmp_path, line(1, f"[Controller id=0] Removing {removed} since delete topic is disabled"))
    assert [(each[1], each[3]) for each in found] == ([("a", True), ("b", True)] if "a" in removed else [])


def test_topics_of_kraft_are_created_and_deleted_once(tmp_path: Path) -> None:
    created = "[QuorumController id={}] CreateTopics result(s): CreatableTopic(name='t', numPartitions=2, "
    created += "replicationFactor=1, assignments=[], configs=[CreatableTopicConfig(name='a', value='1')]): {}"
    removed = "[QuorumController id={}] Replayed RemoveTopicRecord for topic t with ID AAAAAAAAAAAAAAAAAAAAAQ."
    found = happened(
        tmp_path,
        line(1, created.format(1, "SUCCESS"), REPLICATION),
        line(2, created.format(1, "TOPIC_ALREADY_EXISTS (Topic 't' already exists.)"), REPLICATION),
        line(5, removed.format(1), REPLICATION),
        line(
            5,
            "[QuorumController id=1] DeleteTopics result(s): {id: AAAAAAAAAAAAAAAAAAAAAQ, name: t, result: SUCCESS}",
            REPLICATION,
        ),
        line(6, removed.format(2), REPLICATION),
    )
    assert found == [("created", "t", None, False, None), ("deleted", "t", None, False, None)]


def test_new_topics_of_zookeeper_mode_are_created(tmp_path: Path) -> None:
    text = "[Controller id=3] New topics: [Set(t, u)], deleted topics: [Set()], new partition replica assignment "
    found = happened(tmp_path, line(1, f"{text}[Map(t-0 -> Vector(1, 2), u-0 -> Vector(1))]"))
    assert found == [("created", "t", None, False, None), ("created", "u", None, False, None)]


def test_a_reassignment_of_zookeeper_mode_begins_and_ends(tmp_path: Path) -> None:
    found = entries(
        tmp_path,
        line(1, "[Controller id=3] Handling reassignment of partition t-0 to new replicas 1,4"),
        line(1, "[Controller id=3] Handling reassignment of partition t-1 to new replicas 4,1"),
        line(
            2, "[Controller id=3] New replicas 1,4 for partition t-0 being reassigned not yet caught up with the leader"
        ),
        line(
            7, "[Controller id=3] Removing partitions Set(t-0, t-1) from the list of reassigned partitions in zookeeper"
        ),
    )
    running, ended = found
    assert (running.what, running.topic, running.reason) == (
        "reassignment-running",
        "t",
        "partition 0 to 1, 4; partition 1 to 4, 1",
    )
    assert running.until == ended.since
    assert (ended.what, ended.trouble) == ("reassignment-ended", False)


def test_replicas_to_be_removed_are_not_what_is_asked_for(tmp_path: Path) -> None:
    text = "[Controller id=1] Successfully updated assignment of partition t-0 to ReplicaAssignment(replicas={}, "
    text += "addingReplicas={}, removingReplicas={})"
    begins, ends = line(1, text.format("2,4,3", "4", "3")), line(7, text.format("2,4", "", ""))
    (running,) = entries(tmp_path, begins)
    assert (running.lasts, running.reason) == (True, "partition 0 to 2, 4")
    over, _ = entries(tmp_path, begins, ends)
    assert (over.lasts, over.reason) == (False, "partition 0 to 2, 4")


def test_a_reassignment_of_kraft_that_does_not_end_runs(tmp_path: Path) -> None:
    record = (
        "[QuorumController id={}] Replayed partition assignment change PartitionChangeRecord(partitionId={}, topicId="
    )
    record += "HqaOK521Rzu4aLGt9varaw, isr=null, leader=-2, replicas={}, removingReplicas={}, addingReplicas={}, "
    record += "leaderRecoveryState=-1) for topic move"
    found = entries(
        tmp_path,
        *(line(1, record.format(node, 0, "[3, 2, 1]", "[1]", "[3]"), REPLICATION) for node in (1, 2)),
        *(line(3, record.format(node, 0, "[3, 2]", "[]", "[]"), REPLICATION) for node in (1, 2)),
        line(5, record.format(1, 1, "[1, 2]", "null", "[2]"), REPLICATION),
    )
    assert [(each.what, each.lasts, each.reason) for each in found] == [
        ("reassignment-running", False, "partition 0 to 3, 2"),
        ("reassignment-ended", False, "partition 0 to 3, 2"),
        ("reassignment-running", True, "partition 1 to 1, 2"),
    ]


def test_a_reassignment_that_is_refused_is_stuck_for_the_reason_given(tmp_path: Path) -> None:
    text = "[QuorumController id=1] Unable to alter partition reassignment t:0 because of an {} error: {}"
    reason = "The manual partition assignment includes broker 5, but no such broker is registered."
    found = happened(tmp_path, line(1, text.format("InvalidReplicaAssignmentException", reason), REPLICATION))
    assert found == [("reassignment-stuck", "t", 0, True, f"InvalidReplicaAssignmentException: {reason}")]
    deleted = line(1, "[Controller id=3] Skipping reassignment of t-0 since the topic is currently being deleted")
    assert happened(tmp_path, deleted) == [("reassignment-stuck", "t", 0, True, "the topic is being deleted")]


CHANGE = "[QuorumController id={}] UNCLEAN partition change for t-0 with topic ID 9J4mXlEBQ5qF1oJmQm0v1A: {}"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            "isr: [1] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, "
            "partitionEpoch: 5 -> 6",
            "2 was elected; the ISR was 1",
        ),
        (
            "isr: [] -> [1], leader: -1 -> 1, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 1 -> 2, "
            "lastKnownElr: [1] -> [], partitionEpoch: 2 -> 3",
            "1 was elected; the ISR was empty",
        ),
        ("isr: [1] -> [], leader: 1 -> -1, leaderEpoch: 2 -> 3, elr: [] -> [1], partitionEpoch: 3 -> 4", None),
        (
            "replicas: [3, 1, 2] -> [3], isr: [2, 1] -> [3], removingReplicas: [1, 2] -> [], leader: 2 -> 3, "
            "leaderEpoch: 5 -> 6, partitionEpoch: 12 -> 13",
            None,
        ),
        ("isr: [] -> [2], leader: -1 -> 2, leaderEpoch: 5 -> 6, elr: [2] -> [], partitionEpoch: 12 -> 13", None),
    ],
)
def test_only_what_is_certainly_an_unclean_election_is_one(change: str, reason: str | None, tmp_path: Path) -> None:
    found = [
        each
        for each in entries(tmp_path, *(line(node, CHANGE.format(node, change), REPLICATION) for node in (1, 2)))
        if each.what == "unclean-election"
    ]
    assert [(each.reason, each.trouble, each.count) for each in found] == ([(reason, True, 1)] if reason else [])


def test_an_unclean_election_of_zookeeper_mode_says_who_was_elected(tmp_path: Path) -> None:
    text = (
        "[OfflinePartitionLeaderSelector]: No broker in ISR is alive for [t,0]. Elect leader 2 from live brokers 2,3. "
    )
    found = happened(
        tmp_path,
        line(1, f"{text}There's potential data loss.", "kafka.controller.OfflinePartitionLeaderSelector", "WARN"),
    )
    reason = "2 was elected from the live replicas 2, 3: no broker of the ISR was alive"
    assert ("unclean-election", "t", 0, True, reason) in found
