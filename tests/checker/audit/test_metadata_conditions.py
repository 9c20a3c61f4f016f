"""Partitions that are offline or under-replicated, from the records of a metadata log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.files.metadata import copies
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.sources.metadata.quorum import joined, quorums
from isrproof.checker.cli import main
from isrproof.traces.cases import cases
from isrproof.traces.metadata.files import found_in

from tests.metadata_folders import BEGINNING, RECORDED, TOPIC, change, put, recorded, report


def by_hand(recording: Path) -> dict[str, list[tuple[str, int, int, int | None]]]:
    """By condition the stretches of a log in which a partition is in it: topic, partition, since and until when."""
    now: dict[tuple[str, int], dict[str, list[int] | int]] = {}
    names: dict[str, str] = {}
    since: dict[tuple[str, tuple[str, int]], int] = {}
    found: dict[str, list[tuple[str, int, int, int | None]]] = {"offline": [], "under-replicated": []}

    def over(condition: str, key: tuple[str, int], ts: int | None) -> None:
        began = since.pop((condition, key), None)
        if began is not None:
            found[condition].append((names[key[0]], key[1], began, ts))

    (quorum,) = quorums(copies(found_in([str(recording)])))
    for record in (record for each in joined(quorum, []) for record in each.records):
        data = record.data or {}
        if record.type == "TOPIC_RECORD":
            names[data["topicId"]] = data["name"]
        elif record.type == "REMOVE_TOPIC_RECORD":
            for key in [key for key in now if key[0] == data["topicId"]]:
                del now[key]
                for condition in found:
                    over(condition, key, record.timestamp)
        elif record.type in ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD"):
            key = data["topicId"], data["partitionId"]
            own = now.setdefault(key, {})
            own |= {name: data[name] for name in ("leader", "isr", "replicas") if data.get(name, -2) not in (None, -2)}
            so = {"offline": own["leader"] == -1, "under-replicated": not {*own["replicas"]} <= {*own["isr"]}}
            for condition, is_so in so.items():
                if is_so:
                    since.setdefault((condition, key), record.timestamp)
                else:
                    over(condition, key, record.timestamp)
    for condition, key in [*since]:
        over(condition, key, None)
    return found


@pytest.mark.full(every=14)
@pytest.mark.parametrize("recording", sorted(each.name for each in RECORDED.glob("*-*") if "segments" not in each.name))
def test_partitions_are_offline_and_under_replicated_as_the_records_say(recording: str) -> None:
    (log,) = recorded(recording).metadata or ()
    for counted in log.counts:
        expected = by_hand(RECORDED / recording)[counted.condition]
        own = [each for each in log.conditions if each.condition == counted.condition]
        assert sorted((each.topic, each.partition, each.since, each.until) for each in own) == sorted(expected)
        assert (counted.spells, counted.last_shown) == (len(expected), 0)
        assert counted.lasting == len({each[:2] for each in expected if each[3] is None})
        assert counted.partitions == len({each[:2] for each in expected})
        lengths = [until - since for _, _, since, until in expected if until is not None]
        assert counted.longest == max(lengths, default=0)


def test_a_partition_is_offline_until_it_is_elected_deleted_or_the_log_ends(tmp_path: Path) -> None:
    gone = {"offset": 16, "epoch": 1, "type": "REMOVE_TOPIC_RECORD", "data": {"topicId": TOPIC}}
    put(tmp_path, 1, [*BEGINNING, change(13, leader=-1), change(14, leader=2), change(15, leader=-1, isr=[2])])
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end, each.by, each.place.offset) for each in log.conditions] == [
        ("offline", "lasts", None, 15),
        ("offline", "over", "elected", 13),
        ("under-replicated", "lasts", None, 15),
    ]
    shown = CliRunner().invoke(main, ["audit", str(tmp_path)]).stdout
    assert "; troubled: orders-0 was offline, 2 times, the last to the end of the log" in shown
    assert re.search(r"^  offline at the end: 1 partition: orders-0 \(leaderless\) since ", shown, re.MULTILINE), shown
    put(tmp_path, 1, [json.dumps(gone)], "00000000000000000016.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end, each.by) for each in log.conditions if each.place.offset == 15] == [
        ("offline", "over", "deleted"),
        ("under-replicated", "over", "deleted"),
    ]


def test_what_is_offline_in_a_snapshot_began_before_it(tmp_path: Path) -> None:
    snapshot = next(each for each in cases()["KR504"].excerpts if not each.fires).metadata[1][1]
    offline = [line.replace('"leader": 2', '"leader": -1').replace('"leader": 1', '"leader": -1') for line in snapshot]
    assert offline != list(snapshot)
    put(tmp_path, 1, offline, "00000000000000000014-0000000001.checkpoint")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end, each.since) for each in log.conditions if each.condition == "offline"] == [
        ("offline", "lasts", None)
    ]
    put(tmp_path, 1, [change(20, isr=[1, 2, 3], leader=1)], "00000000000000000020.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end) for each in log.conditions if each.condition == "offline"] == []


def test_where_records_are_missing_a_partition_was_last_shown_offline(tmp_path: Path) -> None:
    put(tmp_path, 1, [*BEGINNING, change(13, leader=-1)])
    put(tmp_path, 1, [change(20, isr=[1, 2])], "00000000000000000020.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.condition, each.end) for each in log.conditions] == [("offline", "last shown")]
    gone = {"offset": 21, "epoch": 1, "type": "REMOVE_TOPIC_RECORD", "data": {"topicId": TOPIC}}
    put(tmp_path, 1, [json.dumps(gone)], "00000000000000000021.log")
    (log,) = report(tmp_path).metadata or ()
    assert [(each.topic, each.condition, each.by) for each in log.conditions] == [("orders", "offline", "deleted")]


def test_only_the_conditions_that_are_asked_for_are_told() -> None:
    """Conditions of one partition only; those that are over before a time, or begin after it, are in another
    stretch.
    """
    recording = RECORDED / "elr-4.0.0"
    whole = [each for log in recorded(recording.name).metadata or () for each in log.conditions]
    (narrowed,) = audit([str(recording)], Options(engine="python", partition=("e", 0)))
    (log,) = narrowed.metadata or ()
    assert {*log.conditions} == {each for each in whole if (each.topic, each.partition) == ("e", 0)} != set()
    between = min(each.until for each in whole if each.until is not None)
    (narrowed,) = audit([str(recording)], Options(engine="python", since=between + 1))
    (log,) = narrowed.metadata or ()
    later = {each for each in whole if each.until is None or each.until > between}
    assert {*log.conditions} == later != {*whole}
    assert sum(each.spells for each in log.counts) == len(later)
