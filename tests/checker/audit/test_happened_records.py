"""Things that happened to a cluster, according to the records of its metadata log."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from isrproof.checker.audit.findings.happened import Happened

from tests.metadata_folders import BEGINNING, RECORDED, THREE_VOTERS, TOPIC, at, change, elected, put, report

Shown = tuple[Any, ...]


def record(offset: int, kind: str, **data: object) -> str:
    return json.dumps({"offset": offset, "epoch": 1, "type": kind, "data": data})


def fence(offset: int, broker: int, epoch: int) -> str:
    return record(offset, "FENCE_BROKER_RECORD", id=broker, epoch=epoch)


def unfence(offset: int, broker: int, epoch: int) -> str:
    return record(offset, "UNFENCE_BROKER_RECORD", id=broker, epoch=epoch)


def happened(folder: Path, *lines: str, beginning: list[str] | None = None) -> list[Happened]:
    put(folder, 1, [*(beginning or BEGINNING), *lines])
    return [*report(folder).happened]


def of(entries: list[Happened], *what: str) -> list[Shown]:
    """Return subject, times, reason and count of the entries of some kinds."""
    return [
        (each.node if each.topic is None else each.topic, each.since, each.until, each.reason, each.count)
        for each in entries
        if each.what in what
    ]


def test_a_broker_is_fenced_from_its_session_s_end_until_it_is_unfenced(tmp_path: Path) -> None:
    process = json.loads(BEGINNING[6])["data"] | {"brokerEpoch": 14, "incarnationId": "process4AAAAAAAAAAAAAA"}
    again = record(14, "REGISTER_BROKER_RECORD", **process)
    entries = happened(tmp_path, fence(13, 2, 6), again, unfence(15, 2, 14), fence(16, 3, 7))
    assert of(entries, "fenced") == [(2, at(13), at(15), None, 1), (3, at(16), None, None, 1)]
    assert [(each.trouble, each.lasts) for each in entries if each.what == "fenced"] == [(False, False), (True, True)]
    assert of(entries, "unfenced") == [
        (1, at(8), None, None, 1),
        (2, at(9), at(15), None, 2),
        (3, at(10), None, None, 1),
    ]


def test_a_start_and_a_stop_in_order_are_no_trouble(tmp_path: Path) -> None:
    stops = {"brokerId": 2, "brokerEpoch": 6}
    asked = record(13, "BROKER_REGISTRATION_CHANGE_RECORD", **stops, inControlledShutdown=1)
    gone = record(14, "BROKER_REGISTRATION_CHANGE_RECORD", **stops, fenced=1)
    process = json.loads(BEGINNING[6])["data"] | {"brokerEpoch": 15, "incarnationId": "process4AAAAAAAAAAAAAA"}
    again = record(15, "REGISTER_BROKER_RECORD", **process)
    entries = happened(tmp_path / "a", asked, gone, again, unfence(16, 2, 15))
    assert of(entries, "fenced") == []
    late = [record(16 + each, "NO_OP_RECORD") for each in range(61)]
    starting, stuck = (happened(tmp_path / name, asked, gone, again, *late[:n]) for name, n in (("b", 59), ("c", 61)))
    assert of(starting, "fenced") == []
    assert of(stuck, "fenced") == [(2, at(15), None, "it registered, and was not unfenced since", 1)]


def test_a_broker_is_unregistered(tmp_path: Path) -> None:
    entries = happened(tmp_path, fence(13, 3, 7), record(14, "UNREGISTER_BROKER_RECORD", brokerId=3, brokerEpoch=7))
    assert of(entries, "fenced") == [(3, at(13), at(14), "until it was unregistered", 1)]
    assert of(entries, "unregistered") == [(3, at(14), None, None, 1)]


def test_an_isr_that_shrinks_and_expands_is_one_entry_each(tmp_path: Path) -> None:
    changes = [change(13, isr=[1, 2]), change(14, isr=[1]), change(15, isr=[1, 2, 3]), change(16, isr=[1, 2])]
    entries = happened(tmp_path, *changes)
    assert of(entries, "isr-shrunk") == [("orders", at(13), at(16), "replicas 2, 3 (2 times) left", 3)]
    assert of(entries, "isr-expanded") == [("orders", at(15), None, "replicas 2, 3 joined", 1)]
    assert of(entries, "under-min-isr") == [("orders", at(14), at(15), "the ISR was 1, min.insync.replicas is 2", 1)]


def test_an_unclean_election_is_from_outside_isr_and_elr(tmp_path: Path) -> None:
    lost = change(13, leader=-1, isr=[], eligibleLeaderReplicas=[1, 2], lastKnownElr=[])
    clean = change(14, leader=2, isr=[2], eligibleLeaderReplicas=[])
    assert of(happened(tmp_path / "a", lost, clean), "unclean-election") == []
    unclean = change(14, leader=3, isr=[3], eligibleLeaderReplicas=[], leaderRecoveryState=1)
    entries = happened(tmp_path / "b", lost, unclean)
    reason = "leader 3, after it had none: the ISR was empty, the ELR 1, 2"
    assert of(entries, "unclean-election") == [("orders", at(14), None, reason, 1)]
    assert of(entries, "isr-expanded") == []


def test_who_must_come_back_is_who_is_away_of_isr_and_elr(tmp_path: Path) -> None:
    lost = change(14, leader=-1, isr=[], eligibleLeaderReplicas=[2])
    (away,) = of(happened(tmp_path / "a", fence(13, 2, 6), lost), "offline")
    assert away[3] == "broker 2 must come back: the ISR is empty, the ELR 2; 1, 3 may lead only by unclean election"
    (there,) = of(happened(tmp_path / "b", change(13, leader=-1, isr=[2])), "offline")
    assert there[3].startswith("broker 2 is active, and no record elects it: the ISR is 2; 1, 3 may lead only by")
    none = change(13, leader=-1, isr=[], eligibleLeaderReplicas=[], lastKnownElr=[1])
    (last,) = of(happened(tmp_path / "c", none), "offline")
    assert last[3] == "no replica is in sync; broker 1 led it last; 1, 2, 3 may lead only by unclean election"
    failed = record(
        13, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=2, brokerEpoch=6, logDirs=["other2AAAAAAAAAAAAAAAA"]
    )
    entries = happened(tmp_path / "d", failed, change(14, leader=-1, isr=[2]))
    (disk,) = of(entries, "offline")
    assert disk[3].startswith("broker 2 must get the directory of its replica back: the ISR is 2;")
    assert of(entries, "directory-failed") == [(2, at(13), None, "directory disk2AAAAAAAAAAAAAAAAA", 1)]


def test_a_topic_is_created_reassigned_and_deleted(tmp_path: Path) -> None:
    begins = change(13, replicas=[1, 2, 3, 4], addingReplicas=[4], removingReplicas=[3], directories=["A" * 22] * 4)
    ends = change(
        14, replicas=[1, 2, 4], isr=[1, 2, 4], addingReplicas=[], removingReplicas=[], directories=["A" * 22] * 3
    )
    entries = happened(tmp_path / "a", begins, ends, record(15, "REMOVE_TOPIC_RECORD", topicId=TOPIC))
    reason = "1 partition, adding 4, removing 3"
    assert of(entries, "created") == [("orders", at(11), None, None, 1)]
    assert of(entries, "reassignment-running") == [("orders", at(13), at(14), reason, 1)]
    assert of(entries, "reassignment-ended") == [("orders", at(14), None, reason, 1)]
    assert of(entries, "isr-shrunk") == []  # 3 is no replica any more
    assert of(entries, "deleted") == [("orders", at(15), None, None, 1)]
    back = change(14, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], directories=["A" * 22] * 3)
    entries = happened(tmp_path / "b", begins, back)
    assert of(entries, "reassignment-ended") == [("orders", at(14), None, "it was cancelled", 1)]
    entries = happened(tmp_path / "c", begins, record(14, "REMOVE_TOPIC_RECORD", topicId=TOPIC))
    assert of(entries, "reassignment-ended") == [("orders", at(14), None, "the topic was deleted", 1)]


def test_a_reassignment_that_waits_for_a_replica_that_stays_is_stuck(tmp_path: Path) -> None:
    moving = {"replicas": [1, 2, 3, 4], "addingReplicas": [4], "removingReplicas": [3], "directories": ["A" * 22] * 4}
    waits = [change(13, **moving), change(14, isr=[1, 3, 4])]
    (stuck,) = of(happened(tmp_path / "a", *waits), "reassignment-stuck")
    reason = "4, to be added, is in sync; 2, which stays, is not (looks like KAFKA-19975, fixed in 4.3.0)"
    assert stuck == ("orders", at(14), None, reason, 1)
    assert not of(happened(tmp_path / "b", waits[0], change(14, isr=[1, 2, 3])), "reassignment-stuck")
    assert not of(happened(tmp_path / "c", *waits, change(15, isr=[1, 2, 3, 4])), "reassignment-stuck")
    fewer = change(13, **moving | {"removingReplicas": [2, 3]})  # 4.3 waits as well
    assert not of(happened(tmp_path / "d", fewer, change(14, isr=[3, 4])), "reassignment-stuck")
    over = change(15, replicas=[1, 2, 4], addingReplicas=[], removingReplicas=[], isr=[1, 4])
    assert not of(happened(tmp_path / "e", *waits, over), "reassignment-stuck")


def test_what_was_never_committed_did_not_happen(tmp_path: Path) -> None:
    put(tmp_path, 1, [*THREE_VOTERS, change(13, isr=[1, 2])])
    put(tmp_path, 2, THREE_VOTERS)
    put(tmp_path, 3, THREE_VOTERS)
    assert of([*report(tmp_path).happened], "isr-shrunk") == []
    put(tmp_path, 2, [*THREE_VOTERS, change(13, isr=[1, 2])])
    assert len(of([*report(tmp_path).happened], "isr-shrunk")) == 1


def test_each_leader_of_the_quorum_is_there_once(tmp_path: Path) -> None:
    entries = happened(tmp_path, elected(13, 2, 2), beginning=THREE_VOTERS)
    for what in ("quorum-led", "controller-active"):
        assert of(entries, what) == [(1, at(0), at(13), None, 1), (2, at(13), None, None, 1)]


def test_lines_and_records_of_one_thing_are_one_entry() -> None:
    entries = [*report(RECORDED / "jbod-3.7.2").happened]
    (failed,) = [each for each in entries if each.what == "directory-failed"]
    assert (failed.node, failed.count, len(failed.places)) == (2, 1, 2)
    assert (failed.reason or "").startswith("directory 91S36woiaXjh2j4PMIBsBg; ")  # and the line's own words
    led = [(each.node, each.epoch) for each in entries if each.what == "controller-active"]
    assert len(led) == len({*led})


def migrated(folder: Path, following: int, *lines: str, broker_epoch: int = -1) -> list[str | None]:
    """Return the bugs that a migration shows whose record of producer ids has a following id."""
    ids = record(13, "PRODUCER_IDS_RECORD", brokerId=2, brokerEpoch=broker_epoch, nextProducerId=following)
    put(folder, 1, [*BEGINNING, ids])
    (folder / "node-4").mkdir()
    (folder / "node-4" / "controller.log").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found = report(folder).happened
    assert found == report(folder, engine="columns").happened
    return [each.reason for each in found if each.what == "known-bug"]


def printed(ts: int) -> str:
    return datetime.fromtimestamp(ts / 1000, tz=timezone.utc).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]


def acquired(first: int, ts: int, release: str = "3.6.0") -> list[str]:
    time = printed(ts)
    block = f"ProducerIdsBlock(assignedBrokerId=2, firstProducerId={first}, size=1000)"
    said = f"Acquired new producerId block {block} by writing to Zk with path version 2"
    return [
        f"[{time}] INFO Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)",
        f"[{time}] INFO [Controller id=4] {said} (kafka.controller.KafkaController)",
    ]


def test_a_block_of_producer_ids_is_migrated_as_the_next_one(tmp_path: Path) -> None:
    named = "its block of producer ids from {} on is migrated as the next one: another broker gets it, too ({})"
    sure = "KAFKA-15552, fixed in 3.5.2 and 3.6.1"
    assert migrated(tmp_path / "a", 0) == [named.format(0, f"looks like {sure}")]
    assert migrated(tmp_path / "b", 1000, *acquired(1000, at(1))) == [named.format(1000, sure)]
    assert migrated(tmp_path / "c", 0, *acquired(0, at(1), "3.5.1")) == [named.format(0, sure)]


def test_the_next_block_of_producer_ids_is_no_bug(tmp_path: Path) -> None:
    assert not migrated(tmp_path / "a", 1000)  # the block before it is not shown
    assert not migrated(tmp_path / "b", 2000, *acquired(1000, at(1)))
    assert not migrated(tmp_path / "c", 0, broker_epoch=6)  # a broker asked for it
    assert not migrated(tmp_path / "d", 1000, *acquired(1000, at(20)))  # the cluster went back to ZooKeeper
    for release in ("3.5.2", "3.6.1"):
        assert not migrated(tmp_path / release, 1000, *acquired(1000, at(1), release))


def removed(
    folder: Path, *, release: str = "", level: int = 14, state: int = 1, zookeeper: bool = True, fenced: bool = False
) -> list[Shown]:
    """Return the bugs that a migration shows in which broker 3's replica is removed."""
    process = json.loads(BEGINNING[7])["data"]
    process |= {"brokerEpoch": 15, "incarnationId": "process5AAAAAAAAAAAAAA", "isMigratingZkBroker": zookeeper}
    lines = [
        record(13, "FEATURE_LEVEL_RECORD", name="metadata.version", featureLevel=level),
        record(14, "ZK_MIGRATION_STATE_RECORD", zkMigrationState=state),
        json.dumps(json.loads(record(15, "REGISTER_BROKER_RECORD", **process)) | {"version": 2}),
        *([] if fenced else [unfence(16, 3, 15)]),
        change(17, isr=[1, 2], replicas=[1, 2]),
    ]
    put(folder, 1, [*BEGINNING, *lines])
    if release:
        said = f"INFO Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)"
        (folder / "node-1" / "server.log").write_text(f"[2023-11-14 22:13:00,000] {said}\n", encoding="utf-8")
    found = report(folder).happened
    return [(each.node, each.since, each.reason) for each in found if each.what == "known-bug"]


LEFT = "orders-0 is removed from it while it is in ZooKeeper mode: the log stays there"


def test_a_replica_that_leaves_a_broker_in_zookeeper_mode_stays_on_its_disk(tmp_path: Path) -> None:
    like = f"{LEFT} (looks like KAFKA-16120, fixed in 3.6.2 and 3.7.0)"
    assert removed(tmp_path / "a") == [(3, at(17), like)]
    for release in ("3.5.2", "3.6.1"):
        sure = f"{LEFT} (KAFKA-16120, fixed in 3.6.2 and 3.7.0)"
        assert removed(tmp_path / release, release=release) == [(3, at(17), sure)]


def test_a_replica_is_deleted_where_the_bug_is_not(tmp_path: Path) -> None:
    for release in ("3.6.2", "3.7.0", "3.9.1"):
        assert not removed(tmp_path / release, release=release)
    assert not removed(tmp_path / "level", level=15)  # of 3.7
    assert not removed(tmp_path / "over", state=3)
    assert not removed(tmp_path / "kraft", zookeeper=False)
    assert not removed(tmp_path / "away", fenced=True)  # it is asked nothing in any release


def copied(folder: Path, *lines: str, release: str = "3.6.0", state: int = 2, topic: str = "gone") -> list[str | None]:
    """Return the bugs that a migration shows which copies a topic, beside lines of a controller in ZooKeeper mode.

    A line is its text with the offset of the record at whose time it is.
    """
    records = [
        record(13, "ZK_MIGRATION_STATE_RECORD", zkMigrationState=state),
        record(14, "TOPIC_RECORD", name=topic, topicId="goneAAAAAAAAAAAAAAAAAA"),
    ]
    put(folder, 1, [*BEGINNING, *records])
    said = f"Kafka version: {release} (org.apache.kafka.common.utils.AppInfoParser)"
    shown = [f"[{printed(at(0))}] INFO {said}", *lines]
    (folder / "node-4").mkdir()
    (folder / "node-4" / "controller.log").write_text("".join(f"{line}\n" for line in shown), encoding="utf-8")
    return [each.reason for each in report(folder).happened if each.what == "known-bug"]


def deleting(offset: int, topic: str = "gone") -> str:
    said = f"Starting topic deletion for topics {topic} (kafka.controller.KafkaController)"
    return f"[{printed(at(offset))}] INFO [Controller id=4] {said}"


def completed(offset: int, topic: str = "gone") -> str:
    said = f"Deletion of topic {topic} successfully completed (kafka.controller.TopicDeletionManager)"
    return f"[{printed(at(offset))}] INFO [Topic Deletion Manager 4] {said}"


def test_a_topic_is_migrated_whose_deletion_is_not_over(tmp_path: Path) -> None:
    reason = "the deletion of topic gone had begun, and is not over, when it is migrated: the topic stays"
    like = f"{reason} (looks like KAFKA-15605, fixed in 3.6.1 and 3.7.0)"
    assert copied(tmp_path / "a", deleting(2)) == [like]
    assert copied(tmp_path / "b", deleting(2), completed(3), deleting(5)) == [like]
    assert copied(tmp_path / "c", deleting(2), completed(20)) == [like]


def test_a_topic_that_was_deleted_or_is_not_migrated_stays_for_another_reason(tmp_path: Path) -> None:
    assert not copied(tmp_path / "over", deleting(2), completed(3))
    assert not copied(tmp_path / "later", deleting(20))
    assert not copied(tmp_path / "another", deleting(2, "other"))
    assert not copied(tmp_path / "created", deleting(2), state=3)
    disabled = f"[{printed(at(3))}] INFO [Controller id=4] Removing gone since delete topic is disabled"
    assert not copied(tmp_path / "disabled", deleting(2), f"{disabled} (kafka.controller.KafkaController)")
    for release in ("3.6.1", "3.7.0"):
        assert not copied(tmp_path / release, deleting(2), release=release)
