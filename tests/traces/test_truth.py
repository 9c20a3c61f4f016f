"""A timeline beside the znodes: what is shown, why the rest is not, what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from isrproof.checker.commands.compare import command
from isrproof.traces.place import Place
from isrproof.traces.record import manifest
from isrproof.traces.record.clock import milliseconds, utc
from isrproof.traces.record.compare import REASONS, Version, compare, state_versions
from isrproof.traces.record.compare_replicas import LossComparison, compare_lost, compare_replicas
from isrproof.traces.timeline import Lost, ReplicaRow, TimelineRow, lost_row, replica_row

from tests.recordings import RECORDED

FOLDERS = sorted(file.parent for file in RECORDED.glob("*/manifest.json"))
each = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def row(version: Version, **changed: Any) -> TimelineRow:
    """The timeline row that shows the version."""
    told = TimelineRow(
        topic=version.topic,
        partition=version.partition,
        leader=version.leader,
        isr=version.isr,
        leader_epoch=version.leader_epoch,
        controller_epoch=version.controller_epoch,
        partition_epoch=version.version,
        life=0,
        place=Place("none.log", 1),
        ts=None,
    )
    return replace(told, **changed)


def printed(row: TimelineRow) -> dict[str, Any]:
    """The row as an audit's JSON has it."""
    return {name: value for name, value in {**vars(row), **vars(row.place)}.items() if name != "place"}


@each
def test_a_whole_timeline_shows_everything(folder: Path) -> None:
    told = manifest.read(folder)
    versions = state_versions(told)
    found = compare(told, [row(version) for version in versions])
    assert found.shown == tuple(versions)
    assert not found.hidden + found.unexplained + found.wrong


@each
def test_versions_need_no_number(folder: Path) -> None:
    """Up to 1.0 the controller's lines print no version."""
    told = manifest.read(folder)
    found = compare(told, [row(version, partition_epoch=None) for version in state_versions(told)])
    assert not found.wrong
    assert found.unexplained == ()


@given(data=st.data())
def test_a_row_that_no_version_says_is_wrong(data: st.DataObject) -> None:
    told = manifest.read(data.draw(st.sampled_from(FOLDERS)))
    version = data.draw(st.sampled_from(state_versions(told)))
    field = data.draw(st.sampled_from(["leader", "leader_epoch", "controller_epoch", "partition_epoch"]))
    found = compare(told, [row(version, **{field: 1000})])
    assert [wrong.partition for wrong, _ in found.wrong] == [version.partition]
    assert not found.shown
    assert compare(told, [row(version, isr=(*version.isr, 1000))]).wrong


def made(*znodes: dict[str, Any], **told: Any) -> dict[str, Any]:
    """A manifest with these changes, one a second."""
    rows = [
        {"zxid": n, "time": utc(n * 1000), "by": 1, "version": None, "value": None, **z} for n, z in enumerate(znodes)
    ]
    return {"kafka": "2.0.0", "state_change_level": "TRACE", "timeline": [], "znodes": rows, **told}


def state(version: int, leader: int, isr: list[int], epoch: int, by: int = 1, **more: Any) -> dict[str, Any]:
    value = {"leader": leader, "isr": isr, "leader_epoch": epoch, "controller_epoch": 1}
    change = "set" if version else "create"
    path = "/brokers/topics/t/partitions/0/state"
    return {"path": path, "change": change, "version": version, "by": by, "value": value, **more}


CREATED = state(0, 2, [2, 3], 0)
SHRUNK = state(1, 2, [2], 0, by=2)
ELECTED = state(1, 3, [3], 1)
REMOVED = state(1, -1, [3], 1)
DELETE = {"path": "/admin/delete_topics/t", "change": "create", "version": 0}
DELETED = {"path": "/admin/delete_topics/t", "change": "delete"}
NEXT_CONTROLLER = {"path": "/controller", "change": "create", "version": 0, "by": 3}
KILLED = {"time": utc(2500), "did": "kill", "broker": 1}


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        pytest.param(made(CREATED, SHRUNK), "leader-isr-write", id="leader shrinks"),
        pytest.param(made(CREATED, {**SHRUNK, "by": 3}), None, id="another broker than the leader wrote it"),
        pytest.param(made(CREATED, {**SHRUNK, "by": 3}, kafka="2.8.2"), "leader-isr-write", id="AlterIsr"),
        pytest.param(made(CREATED, ELECTED), None, id="an election is always printed"),
        pytest.param(made(CREATED, ELECTED, state_change_level="INFO"), "level", id="INFO before 2.6"),
        pytest.param(made(CREATED, ELECTED, state_change_level="INFO", kafka="2.6.0"), None, id="INFO from 2.6"),
        pytest.param(made(DELETE, CREATED, REMOVED), "topic-deletion", id="removal while deleting"),
        pytest.param(made(DELETE, CREATED, ELECTED), None, id="an election while deleting is printed"),
        pytest.param(made(DELETE, DELETED, CREATED, REMOVED), None, id="removal after deleting"),
        pytest.param(made(CREATED, DELETE, ELECTED, timeline=[KILLED]), "controller-gone", id="killed just after"),
        pytest.param(made(CREATED, ELECTED, DELETE, timeline=[KILLED]), "controller-gone", id="within two seconds"),
        pytest.param(made(CREATED, DELETE, DELETE, DELETE, ELECTED, timeline=[KILLED]), None, id="killed before"),
        pytest.param(made(CREATED, ELECTED, NEXT_CONTROLLER), "controller-gone", id="replaced just after"),
    ],
)
def test_reasons(told: dict[str, Any], reason: str | None) -> None:
    *shown, last = state_versions(told)
    found = compare(told, [row(version) for version in shown])
    assert [(version, why) for version, why in found.hidden] == ([(last, reason)] if reason else [])
    assert found.unexplained == (() if reason else (last,))


@pytest.mark.parametrize(("release", "reason"), [("2.3.1", "overtaken"), ("2.6.0", None)])
def test_two_removals_in_one_call_are_sent_as_one(release: str, reason: str | None) -> None:
    told = made(state(0, 1, [1, 2, 3], 0), state(1, 1, [1, 3], 1), state(2, 1, [1], 2), kafka=release)
    first, middle, last = state_versions(told)
    found = compare(told, [row(first), row(last)])
    assert found.hidden == (((middle, reason),) if reason else ())


def test_the_controllers_copy_may_carry_its_own_epoch() -> None:
    """Kafka sends it so after a replica outside the ISR went offline; never an epoch that nobody had."""
    epochs = [{"path": "/controller_epoch", "change": "set", "version": n, "value": n} for n in (1, 2)]
    told = made(epochs[0], CREATED, epochs[1])
    (version,) = state_versions(told)
    wrong = [bool(compare(told, [row(version, controller_epoch=epoch)]).wrong) for epoch in (0, 1, 2, 3)]
    assert wrong == [True, False, False, True]


def test_a_topic_made_again_is_told_apart_by_the_time_of_the_line(tmp_path: Path) -> None:
    again = state(0, 3, [3], 0)
    told = made(CREATED, {"path": CREATED["path"], "change": "delete"}, again)
    (tmp_path / "broker-1").mkdir()
    lines = "[1970-01-01 00:00:00,500] TRACE x\n[1970-01-01 00:00:02,500] TRACE x\n"
    (tmp_path / "broker-1" / "state-change.log").write_text(lines)
    first, second = state_versions(told)
    early = row(first, place=Place("any/where/broker-1/state-change.log", 1))
    late = replace(early, place=replace(early.place, line=2))
    assert (first.created, second.created) == (0, 1)
    assert compare(told, [early], tmp_path).shown == (first,)
    assert compare(told, [late], tmp_path).wrong[0][1].startswith("version 0: leader 3")
    assert not compare(told, [late]).wrong


def test_a_topic_being_deleted_says_nothing_of_the_znode() -> None:
    told = made(CREATED)
    assert not compare(told, [row(state_versions(told)[0], leader=-2, leader_epoch=0, partition_epoch=0)]).wrong


def test_every_reason_has_a_text() -> None:
    assert compare(made(CREATED), []).reasons.keys() == REASONS.keys()
    assert milliseconds(utc(0)) == 0


def test_command(tmp_path: Path) -> None:
    recording = tmp_path / "made"
    recording.mkdir()
    told = made(CREATED, SHRUNK, ELECTED | {"version": 2})
    (recording / "manifest.json").write_text(manifest.text({"format": manifest.FORMAT, **told}))
    first, _, last = state_versions(told)

    def run(*arguments: str, timeline: object) -> Any:
        whole = {**timeline, "happened": []} if isinstance(timeline, dict) else timeline
        return CliRunner().invoke(command, [str(recording), "-", *arguments], input=json.dumps(whole))

    right = run("--json", timeline={"timeline": [printed(row(first)), printed(row(last))]})
    assert right.exit_code == 0
    assert json.loads(right.output)["shown"] == 2
    assert json.loads(right.output)["hidden"]["leader-isr-write"] == 1
    wrong = run(timeline={"timeline": [printed(row(first)), printed(row(last, leader=2))]})
    assert wrong.exit_code == 1
    assert "wrong: t-0" in wrong.output
    assert "not shown, no reason known: t-0 version 2" in wrong.output
    for nothing in ([], {"clusters": []}, {"timeline": [{**printed(row(first)), "leader": None}]}):
        assert run(timeline=nothing).exit_code == 2
        assert json.loads(run("--json", timeline=nothing).output)["verdict"] == "error"
    assert "timeline" in run(timeline=[]).output


def with_traffic(*znodes: dict[str, Any], **told: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"replicas": [], "watermarks": [], "acknowledged": [], "lost": []}
    return made(*znodes, **{**empty, **told})


def offsets(first: int, after: int, acks: str = "all", second: int = 1) -> dict[str, Any]:
    return {"topic": "t", "partition": 0, "acks": acks, "from": first, "to": after, "time": utc(second * 1000)}


def asked(second: int, high_watermark: int) -> dict[str, Any]:
    times = {"asked": utc(second * 1000), "answered": utc(second * 1000 + 50)}
    return {"topic": "t", "partition": 0, **times, "high_watermark": high_watermark}


ON_DISK = {"topic": "t", "partition": 0, "log_end": 90, "batches": [[0, 0, 49], [1, 50, 89]]}
FILE = "any/broker-3/server.log"
LED = {"leader": 3, "leader_epoch": 1, "isr": (3,), "partition_epoch": 1, "log_end": 50, "high_watermark": 45}


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, None),
        ({"leader": 2}, "leader 3 in leader epoch 1"),
        ({"isr": (2, 3)}, "ISR {3} in version 1"),
        ({"log_end": 49}, "epoch 1 from offset 50"),
        ({"high_watermark": 61}, "a high watermark from 40 to 60"),
        ({"high_watermark": 39}, "a high watermark from 40 to 60"),
        ({"log_end": 91, "leader_epoch": 0, "leader": 2}, "a log end of at most 90"),
        ({"leader_epoch": None, "isr": None, "high_watermark": None}, None),
    ],
)
def test_rows_of_replicas(tmp_path: Path, changed: dict[str, Any], wrong: str | None) -> None:
    """The leader, elected at 1 s, says so at 1.5 s; its line that is looked at is written at 2.5 s."""
    told, (began, line) = led(tmp_path), leader_lines(**{**LED, **changed})
    assert (
        replica_row({**vars(line), **vars(line.place)} | {"isr": None if line.isr is None else list(line.isr)}) == line
    )
    found = compare_replicas(told, [began, line], tmp_path)
    assert [expected for _, expected in found.wrong] == ([] if wrong is None else [wrong])
    assert compare_replicas(told, [began, line]).wrong == ()


def led(folder: Path) -> dict[str, Any]:
    (folder / "broker-3").mkdir()
    (folder / "broker-3" / "server.log").write_text(
        "[1970-01-01 00:00:01,500] INFO x\n[1970-01-01 00:00:02,500] INFO x\n"
    )
    asks = [asked(2, 40), asked(4, 60)]
    return with_traffic(CREATED, ELECTED, replicas=[ON_DISK], watermarks=asks, acknowledged=[offsets(0, 30)])


def leader_lines(**values: Any) -> tuple[ReplicaRow, ReplicaRow]:
    """A leader's first line, and one that is written later."""
    began, line = (
        ReplicaRow(topic="t", partition=0, broker=3, row="leader-started", **each, place=Place(FILE, number), ts=None)
        for number, each in enumerate((LED | {"high_watermark": 30}, values), 1)
    )
    return began, line


def test_a_leader_that_starts_again_in_its_epoch_prints_the_end_of_its_log(tmp_path: Path) -> None:
    told, (began, again) = led(tmp_path), leader_lines(**{**LED, "log_end": 80})
    assert compare_replicas(told, [began, again], tmp_path).wrong == ()
    ((row, expected),) = compare_replicas(told, [again], tmp_path).wrong
    assert (row, expected) == (again, "epoch 1 from offset 50")


def test_what_was_answered_before_a_leader_knew_of_it_may_be_another_ones_answer(tmp_path: Path) -> None:
    told, (_, first) = led(tmp_path), leader_lines(**{**LED, "high_watermark": 35})
    assert compare_replicas(told, [first], tmp_path).wrong == ()


def test_what_was_acknowledged_is_below_the_high_watermark(tmp_path: Path) -> None:
    (tmp_path / "broker-3").mkdir()
    (tmp_path / "broker-3" / "server.log").write_text("[1970-01-01 00:00:02,500] INFO x\n")
    told = with_traffic(CREATED, ELECTED, replicas=[ON_DISK], acknowledged=[offsets(50, 56, second=2)])
    values = {**LED, "log_end": 50, "isr": None, "high_watermark": 55}
    line = ReplicaRow(
        topic="t", partition=0, broker=3, row="x", **values, place=Place("broker-3/server.log", 1), ts=None
    )
    (wrong,) = compare_replicas(told, [line], tmp_path).wrong
    assert wrong[1] == "a high watermark from 56 to 90"


def test_losses() -> None:
    told = with_traffic(
        acknowledged=[offsets(0, 20), offsets(20, 25, acks="1"), offsets(10, 12)],
        lost=[offsets(10, 20), offsets(20, 25, acks="1")],
    )
    assert compare_lost(told, []) == LossComparison(0, 10, 0, ())
    assert compare_lost(told, [Lost("t", 0, 12, 30)]) == LossComparison(13, 2, 5, ())
    assert compare_lost(told, [Lost("t", 0, 9, 20)]).wrong == (Lost("t", 0, 9, 20),)
    assert lost_row({"topic": "t", "partition": 0, "from": 1, "to": 3}) == Lost("t", 0, 1, 3)
    with pytest.raises(ValueError, match="lost, with topic, partition, from, to"):
        lost_row({"topic": "t", "partition": 0, "from": "1", "to": 3})


def test_command_with_traffic(tmp_path: Path) -> None:
    told = with_traffic(CREATED, acknowledged=[offsets(0, 9)], lost=[offsets(5, 9)], replicas=[ON_DISK])
    (tmp_path / "manifest.json").write_text(manifest.text({"format": manifest.FORMAT, **told}))

    def run(**said: Any) -> Any:
        (first,) = state_versions(told)
        audit = {"timeline": [printed(row(first))], "replicas": [], "findings": [], "happened": [], **said}
        return CliRunner().invoke(command, [str(tmp_path), "-"], input=json.dumps(audit))

    def lost(first: int) -> dict[str, Any]:
        return {"findings": [{"lost": [{"topic": "t", "partition": 0, "from": first, "to": 9}]}]}

    right = run(**lost(6))
    assert right.exit_code == 0
    assert "3 lost acknowledged records are reported" in right.output
    wrong = run(**lost(4))
    assert wrong.exit_code == 1
    assert "the audit says that t-0 lacks offsets 4 to 8" in wrong.output
    assert run(replicas=None).exit_code == 2
    assert run(findings=[{"lost": [{}]}]).exit_code == 2
