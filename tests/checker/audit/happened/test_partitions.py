"""The things that happened to partitions, from the lines of their leaders and followers."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.findings.happened import Happened
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.model import Report

_LEADS = (
    "[2025-03-04 10:00:00,000] INFO [Broker id=7] Leader a-0 with topic id Some(AAAAAAAAAAAAAAAAAAAAAQ) starts at"
    " leader epoch 3 from offset 90 with partition epoch 5, high watermark 90, ISR [7,8,9], adding replicas [] and"
    " removing replicas [] . Previous leader Some(8) and previous leader epoch was 2. (state.change.logger)"
)
_SHRINKS = (
    "[2025-03-04 10:01:00,000] INFO [Partition a-0 broker=7] Shrinking ISR from 7,8,9 to 7. Leader: (highWatermark:"
    " 100, endOffset: 130). Out of sync replicas: (brokerId: 8, endOffset: 100, lastCaughtUpTimeMs: 1)"
    " (brokerId: 9, endOffset: 125, lastCaughtUpTimeMs: 2). (kafka.cluster.Partition)"
)
_UPDATED = (
    "[2025-03-04 10:0{minute}:00,000] INFO [Partition a-0 broker=7] ISR updated to {isr} {word} and version updated to"
    " {version} (kafka.cluster.Partition)"
)
_SHRUNK = _UPDATED.format(minute=1, isr="7", word="(under-min-isr)", version=6)
_GROWN = _UPDATED.format(minute=4, isr="7,8", word="", version=7)
_WHOLE = _UPDATED.format(minute=5, isr="7,8,9", word="", version=8)
_CUT = (
    "[2025-03-04 10:00:02,000] WARN [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Truncating a-0 to offset 40"
    " below high watermark 44 (kafka.server.ReplicaFetcherThread)"
)
_ENGINES = ("python", "columns")


def report(folder: Path, *lines: str, engine: str = "python", **options: object) -> Report:
    (folder / "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (made,) = audit([str(folder)], Options.of(engine=engine, **options))  # type: ignore[arg-type]
    return made


def of(made: Report, what: str) -> Happened:
    (found,) = (each for each in made.happened if each.what == what)
    return found


@pytest.mark.parametrize("engine", _ENGINES)
def test_who_left_the_isr_and_how_far_behind(tmp_path: Path, engine: str) -> None:
    found = of(report(tmp_path, _LEADS, _SHRINKS, engine=engine), "isr-shrunk")
    assert found.reason == "8 (30 records behind), 9 (5 records behind)"
    assert (found.topic, found.partition, found.node, found.trouble) == ("a", 0, 7, False)


@pytest.mark.parametrize("engine", _ENGINES)
def test_a_partition_is_under_replicated_until_all_are_back(tmp_path: Path, engine: str) -> None:
    made = report(tmp_path, _LEADS, _SHRINKS, _SHRUNK, _GROWN, _WHOLE, engine=engine)
    found = of(made, "under-replicated")
    assert (found.lasts, found.longest, found.trouble) == (False, 4 * 60_000, False)
    assert of(made, "under-min-isr").longest == 3 * 60_000
    assert made.health == "troubled"  # writes were refused


def test_what_lasts_is_trouble(tmp_path: Path) -> None:
    found = of(report(tmp_path, _LEADS, _SHRINKS, _SHRUNK, _GROWN), "under-replicated")
    assert (found.lasts, found.until, found.trouble) == (True, None, True)
    assert found.reason == "without 8, 9: the ISR was 7"


def test_a_healthy_leader_is_no_trouble(tmp_path: Path) -> None:
    made = report(tmp_path, _LEADS, _WHOLE)
    assert [each.what for each in made.happened if each.trouble] == []
    assert not any(each.what.startswith("under-") for each in made.happened)


def test_what_is_cut_below_the_high_watermark_is_lost(tmp_path: Path) -> None:
    made = report(tmp_path, _CUT, _CUT.replace("replicaId=1", "replicaId=3").replace("02,000", "03,000"))
    assert of(made, "records-lost").reason == "offsets 40 to 43 (4 records)"
    assert sum(each.count for each in made.happened if each.what == "log-cut") == 2


def test_only_what_is_asked_for(tmp_path: Path) -> None:
    made = report(tmp_path, _LEADS, _SHRINKS, _CUT.replace("a-0", "b-1"), partition="b-1")
    assert {(each.topic, each.partition) for each in made.happened} == {("b", 1)}
    later = report(tmp_path, _LEADS, _SHRINKS, _SHRUNK, _GROWN, _WHOLE, since="2025-03-04 10:04:30")
    assert "under-replicated" in {each.what for each in later.happened}
    assert "isr-shrunk" not in {each.what for each in later.happened}


_STATE = "[2025-03-04 10:0{}] INFO [Controller id=0 epoch=5] {} (state.change.logger)"
_CREATED = _STATE.format(
    "0:00,000", "Changed partition a-0 state from NonExistentPartition to NewPartition with assigned replicas 0"
)
_ELECTED = _STATE.format(
    "0:00,100",
    "Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=0, leaderEpoch=0, "
    "isr=List(0), zkVersion=0)",
)
_LEADERLESS = _STATE.format(
    "1:00,000",
    "Partition a-0 state changed to (Leader:-1,ISR:0,LeaderEpoch:1,ZkVersion:1,ControllerEpoch:5) after removing "
    "replica 0 from the ISR as part of transition to OfflineReplica",
)
_FAILED = (
    "[2025-03-04 10:01:00,050] ERROR [Controller id=0 epoch=5] Controller 0 epoch 5 failed to change state for "
    "partition a-0 from OfflinePartition to OnlinePartition (state.change.logger)"
)
_LATER = _STATE.format("3:00,000", "Sending UpdateMetadata request to brokers HashSet(0) for 0 partitions")
_AGAIN = [line.replace("10:00:0", "10:02:0") for line in (_CREATED, _ELECTED)]


@pytest.mark.parametrize("engine", _ENGINES)
@pytest.mark.parametrize(
    ("lines", "trouble", "reason"),
    {
        "deleted and made again": ((_CREATED, _ELECTED, _LEADERLESS, *_AGAIN), False, "as it was deleted"),
        "perhaps deleted": ((_CREATED, _ELECTED, _LEADERLESS, _LATER), False, "as when its topic is deleted"),
        "its broker is lost": ((_CREATED, _ELECTED, _LEADERLESS, _FAILED, _LATER), True, ""),
        "its broker is lost, then it is made again": (
            (_CREATED, _ELECTED, _LEADERLESS, _FAILED, *_AGAIN),
            True,
            "",
        ),
        "the log ends": ((_CREATED, _ELECTED, _LEADERLESS), True, "broker 0 must come back"),
        "no such lines are in the file": ((_LEADERLESS, _LATER), True, "broker 0 must come back"),
    }.values(),
)
def test_a_partition_that_goes_offline_as_its_topic_is_deleted_is_no_trouble(
    lines: tuple[str, ...], trouble: bool, reason: str, engine: str, tmp_path: Path
) -> None:
    found = of(report(tmp_path, *lines, engine=engine), "offline")
    assert (found.trouble, reason in (found.reason or "")) == (trouble, True)


def test_an_isr_of_1_0_is_whole_as_its_leader_expands_it(tmp_path: Path) -> None:
    line = "[2025-03-04 10:0{}:00,000] INFO [Partition a-0 broker=1] {} (kafka.cluster.Partition)"
    shrunk, grown = line.format(1, "Shrinking ISR from 1,2 to 1"), line.format(2, "Expanding ISR from 1 to 1,2")
    found = of(report(tmp_path, shrunk, grown), "under-replicated")
    assert (found.lasts, found.longest, found.trouble) == (False, 60_000, False)
