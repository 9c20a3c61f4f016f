"""The audit of a metadata log equals Kafka's own dump of it, and the answers to an admin client."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.checker.audit.report.json import as_json
from isrproof.checker.audit.report.model import Report
from isrproof.checker.cli import main
from isrproof.traces.record.compare_happened import Fact, compare_happened, processes
from isrproof.traces.record.compare_replicas import KINDS, compare_lost, compare_replicas
from isrproof.traces.record.errors import RecordingError
from isrproof.traces.record.kraft.compare import STALE_SECONDS, AdminComparison, compare, compare_admin, versions
from isrproof.traces.record.kraft.compare_happened import kraft_facts
from isrproof.traces.record.kraft.dump import Dumped, _Fold
from isrproof.traces.record.manifest import read
from isrproof.traces.timeline import TimelineRow

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
FOLDERS = sorted(file.parent for file in RECORDED.glob("*/manifest.json"))
ONE = RECORDED / "elr-4.0.0"


@cache
def audited(folder: Path) -> Report:
    """The audit of the metadata logs alone."""
    nodes = sorted(str(node) for node in folder.glob("node-*/metadata"))
    (report,) = audit(nodes, Options(engine="python", timeline=True))
    return report


def timeline(folder: Path) -> Sequence[TimelineRow]:
    rows = audited(folder).timeline
    assert rows is not None
    return rows


def logs(folder: Path) -> list[dict[str, Any]]:
    return [
        {"leaders": each.leaders, "begins": each.begins, "committed": each.committed}
        for each in audited(folder).metadata
    ]


@pytest.mark.full(every=8)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_nothing_is_wrong_and_nothing_is_missing(folder: Path) -> None:
    found = compare(folder, read(folder), timeline(folder))
    assert (found.wrong, found.unexplained) == ((), ())
    assert len(found.shown) + len(found.hidden) == len(versions(folder)) > 0
    admin = compare_admin(folder, timeline(folder), logs(folder))
    assert admin.wrong == ()
    assert admin.partitions > 0


def of_records(folder: Path) -> tuple[list[Fact], list[dict[str, Any]]]:
    """The facts that records show, and all that happened."""
    processes = ("starts", "stops", "kills")
    facts = [fact for fact in kraft_facts(folder, read(folder)) if fact.kind not in processes]
    return facts, as_json(audited(folder))["happened"]


@pytest.mark.full(every=8)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_happened_is_what_the_dump_says(folder: Path) -> None:
    facts, happened = of_records(folder)
    found = compare_happened(facts, happened)
    assert (found.wrong, found.missed) == ((), ())
    assert sum(found.right.values()) == len(facts) > 0
    assert sum(found.hidden.values()) == 0


def test_what_did_not_happen_is_wrong_and_what_is_not_reported_is_missed() -> None:
    facts, happened = of_records(ONE)
    for what, kind in (("isr-shrunk", "shrinks"), ("offline", "offline spells"), ("unclean-election", "elections")):
        (row, *others), rest = (
            [each for each in happened if each["what"] == what],
            [each for each in happened if each["what"] != what],
        )
        assert len(compare_happened(facts, [*others, *rest]).missed) == 1
        assert len(compare_happened(facts, [row | {"count": row["count"] + 1}, *others, *rest]).wrong) == 1
        assert len(compare_happened(facts, [row | {"since": row["since"] + 1}, *others, *rest]).wrong) == 1
        own = [fact for fact in facts if (fact.kind, fact.subject) == (kind, (row["topic"], row["partition"]))]
        left = [fact for fact in facts if fact not in own]
        assert len(compare_happened(left, happened).wrong) == 1


def test_processes_are_those_that_the_recorder_started_and_ended() -> None:
    actions = [(1_000, "start", 1), (50_000, "kill", 1), (60_000, "start", 1), (90_000, "term", 1)]
    facts = [*processes(actions, [1])]
    told = {"node": 1, "count": 1}
    started = told | {"what": "process-started", "count": 2, "since": 2_000, "until": 61_000}
    lost = told | {"what": "process-lost", "until": 61_000}
    stopped = told | {"what": "process-stopped", "since": 90_500}
    found = compare_happened(facts, [started, lost, stopped])
    assert (found.wrong, found.missed) == ((), ())
    assert {kind: count for kind, count in found.right.items() if count} == {"starts": 2, "stops": 1, "kills": 1}
    assert compare_happened(facts, [started, stopped]).missed == ("kills of 1: 0, not 1",)
    assert compare_happened(facts, [started, lost, stopped, lost]).wrong == ("kills of 1: 2, not 1",)
    assert compare_happened([*processes(actions, [])], [lost]).wrong == ("kills of 1: 1, not 0",)


@pytest.mark.parametrize(
    "change",
    [
        lambda row: replace(row, leader=row.leader + 1),
        lambda row: replace(row, isr=(*(row.isr or ()), 9)),
        lambda row: replace(row, leader_epoch=row.leader_epoch + 1),
        lambda row: replace(row, partition_epoch=(row.partition_epoch or 0) + 1),
        lambda row: replace(row, place=replace(row.place, offset=(row.place.offset or 0) + 1)),
    ],
)
def test_another_value_is_wrong(change: Callable[[TimelineRow], TimelineRow]) -> None:
    *rows, last = timeline(ONE)
    found = compare(ONE, read(ONE), [*rows, change(last)])
    assert [row for row, _ in found.wrong] == [change(last)]
    assert len(found.unexplained) == 1


def test_what_no_majority_has_is_hidden() -> None:
    *rows, _ = timeline(ONE)
    alone = {**read(ONE), "controllers": [11, 91, 92]}
    found = compare(ONE, alone, rows)
    assert (len(found.hidden), found.unexplained) == (1, ())
    assert found.reasons["uncommitted"] == 1


def test_a_recording_without_a_dump_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"expected node-N/metadata\.dump\.xz"):
        versions(tmp_path)


def answered(folder: Path, row: dict[str, Any]) -> AdminComparison:
    (folder / "timeline.jsonl").write_text(json.dumps(row) + "\n")
    return compare_admin(folder, timeline(ONE), logs(ONE))


def test_what_an_admin_client_saw_is_held_against_that_time(tmp_path: Path) -> None:
    first = next(row for row in timeline(ONE) if (row.topic, row.partition, row.leader) == ("e", 0, 1))
    time = (first.ts or 0) / 1000
    word = f"e:0:1:{','.join(map(str, first.isr or ()))}:1,2"
    right = answered(tmp_path, {"t": time + 0.1, "kind": "partitions", "answer": word})
    assert (right.partitions, right.wrong) == (1, ())
    later = max(row.ts or 0 for row in timeline(ONE)) / 1000 + 2 * STALE_SECONDS
    for row in (
        {"t": time - 1, "answer": word},
        {"t": time + 0.1, "answer": "e:0:2:1,2:1,2"},
        {"t": time + 0.1, "answer": "e:0:1:1:1,2"},
        {"t": time + 0.1, "answer": "none:0:1:1,2:1,2"},
        {"t": later, "answer": "e:0:-1::1,2"},
    ):
        assert len(answered(tmp_path, {"kind": "partitions", **row}).wrong) == 1, row
    assert answered(tmp_path, {"t": time, "kind": "partitions", "answer": "error no answer"}).wrong == ()


def test_what_was_before_a_log_that_begins_with_a_snapshot_is_not_wrong(tmp_path: Path) -> None:
    row = next(row for row in timeline(ONE) if (row.topic, row.partition) == ("e", 0))
    whole, cut = logs(ONE), [{**each, "begins": 7} for each in logs(ONE)]
    for after, of_whole, of_cut in ((0.1, 1, (0, 1)), (STALE_SECONDS + 0.1, 1, (1, 0))):
        answer = {"t": (row.ts or 0) / 1000 + after, "kind": "partitions", "answer": "e:0:77:77:1,2"}
        (tmp_path / "timeline.jsonl").write_text(json.dumps(answer) + "\n")
        assert len(compare_admin(tmp_path, timeline(ONE), whole).wrong) == of_whole
        found = compare_admin(tmp_path, timeline(ONE), cut)
        assert (len(found.wrong), found.earlier) == of_cut


def test_the_quorum_is_held_against_who_led_and_what_is_committed(tmp_path: Path) -> None:
    (log,) = logs(ONE)
    ((epoch, leader), *_) = log["leaders"].items()
    for answer, wrong in (
        (f"{leader} {epoch} {log['committed']}", 0),
        (f"-1 {epoch} 3", 0),
        (f"{leader + 1} {epoch} 3", 1),
        (f"{leader} {epoch + 50} 3", 1),
        (f"{leader} {epoch} {log['committed'] + 1}", 1),
    ):
        assert len(answered(tmp_path, {"t": 0, "kind": "quorum", "answer": answer}).wrong) == wrong, answer


def record(kind: str, **data: Any) -> str:
    return "payload: " + json.dumps({"type": kind, "version": 0, "data": data})


CREATED = (
    record("TOPIC_RECORD", name="t", topicId="T"),
    record(
        "PARTITION_RECORD", topicId="T", partitionId=0, replicas=[1, 2], isr=[1, 2], leader=1, leaderEpoch=0
    ).replace('"leaderEpoch": 0', '"leaderEpoch": 0, "partitionEpoch": 0'),
)


def test_what_a_transaction_took_back_never_happened() -> None:
    change = record("PARTITION_CHANGE_RECORD", topicId="T", partitionId=0, leader=2)
    for end, epochs in (("END_TRANSACTION_RECORD", [0, 1]), ("ABORT_TRANSACTION_RECORD", [0]), ("NO_OP_RECORD", [0])):
        texts = [*CREATED, record("BEGIN_TRANSACTION_RECORD"), change, record(end)]
        fold = _Fold()
        fold.all(Dumped(offset, 1, 0, text) for offset, text in enumerate(texts))
        assert [each.version for each in fold.versions] == epochs


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    said = as_json(audited(ONE))
    file = tmp_path / "audit.json"
    file.write_text(json.dumps(said))
    right = CliRunner().invoke(main, ["compare", str(ONE), str(file), "--json"])
    assert right.exit_code == 0, right.output
    shown = json.loads(right.stdout)
    assert (shown["wrong"], shown["missing"], shown["admin"]["wrong"]) == ([], [], [])
    said["timeline"][-1]["leader"] = 9
    file.write_text(json.dumps(said))
    wrong = CliRunner().invoke(main, ["compare", str(ONE), str(file)])
    assert wrong.exit_code == 1
    assert "1 rows wrong" in wrong.stdout
    assert "expected partition epoch" in wrong.stdout


def test_what_is_lost_is_named_and_replicas_are_right() -> None:
    """Unclean elections of a cluster to which records were written."""
    folder = RECORDED / "unclean-3.9.1"
    told = read(folder)
    (report,) = audit([str(folder)], Options(engine="python", timeline=True))
    found = compare_replicas(told, report.replicas or (), folder, versions(folder))
    assert found.wrong == ()
    assert all(found.right[kind] for kind in KINDS)
    lost = compare_lost(told, [each for finding in report.findings for each in finding.lost])
    assert (lost.wrong, lost.not_acknowledged, lost.not_shown) == ((), 0, 0)
    assert lost.shown > 0
