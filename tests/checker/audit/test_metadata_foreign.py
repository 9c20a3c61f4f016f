"""Files of another cluster among the copies of a metadata log are set apart by name, and are no evidence."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from isrproof.checker.audit.sources.metadata.foreign import APART
from isrproof.traces.metadata.text import log_bytes

from tests.metadata_folders import RECORDED, SEGMENT, THREE_VOTERS, at, change, found, put, report

LINES = [*THREE_VOTERS, change(13, partitionId=0, isr=[1, 2]), change(14, partitionId=0, isr=[1])]
_ID = re.compile('"((?:disk|orders|process)[0-9]?)(A+)(?=")')
"""An id of the beginning, and the letters that fill it up."""


def of_another(lines: Sequence[str]) -> list[str]:
    """The same records as another cluster writes them: later, with ids of its own."""
    named = [_ID.sub(lambda id: f'"of-d{id[1]}{id[2][4:]}', line) for line in lines]
    return [json.dumps(json.loads(named[0]) | {"timestamp": at(1000)}), *named[1:]]


def apart(notes: Sequence[str]) -> list[str]:
    return [note.removesuffix(f": {APART}") for note in notes if APART in note]


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_a_segment_of_another_cluster_is_set_apart(engine: str, tmp_path: Path) -> None:
    files = [put(tmp_path, node, LINES) for node in (1, 2, 3)]
    files[0].write_bytes(log_bytes(of_another(LINES)))
    shown = report(tmp_path, engine=engine)
    assert (found(shown), shown.verdict) == ([], "incomplete")
    assert apart(shown.notes) == [str(files[0])]


def test_a_folder_of_another_cluster_beside_is_set_apart(tmp_path: Path) -> None:
    for node in (1, 2, 3):
        put(tmp_path, node, LINES)
    file = put(tmp_path, 9, of_another([*LINES, change(15, partitionId=0, isr=[1, 3])]))
    for properties in (True, False):
        if not properties:
            (file.parents[1] / "meta.properties").unlink()
        shown = report(tmp_path)
        assert (found(shown), shown.verdict) == ([], "incomplete")
        assert apart(shown.notes) == [str(file)]


def test_a_snapshot_of_another_cluster_is_set_apart(tmp_path: Path) -> None:
    for recording, of in (("elr-4.1.0", "grow-4.4.0"), ("failover-3.5.2", "reassign-3.9.1")):
        folder = tmp_path / recording
        ignored = shutil.ignore_patterns("*.xz", "*.json*", "*.gz", "server.log", "controller.log", "state-change.log")
        shutil.copytree(RECORDED / recording, folder, ignore=ignored)
        there = next(folder.glob("node-*/metadata"))
        snapshot = shutil.copy(sorted((RECORDED / of).glob("node-*/metadata/*.checkpoint"))[-1], there)
        shown = report(folder)
        assert {verdict for _, verdict, _ in found(shown)} <= {"suspicious"}
        assert apart(shown.notes) == [str(snapshot)]


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_of_two_copies_of_two_clusters_neither_is_evidence(engine: str, tmp_path: Path) -> None:
    bad = change(15, partitionId=7, isr=[1])
    put(tmp_path, 1, [*LINES, bad])
    put(tmp_path, 2, of_another([*LINES, bad]))
    shown = report(tmp_path, engine=engine)
    assert {verdict for _, verdict, _ in found(shown)} == {"unknown"}
    assert len(apart(shown.notes)) == 1
    assert "several clusters" in shown.not_known[0]


def test_a_cluster_that_names_itself_is_judged_for_itself(tmp_path: Path) -> None:
    for node in (1, 2, 3):
        put(tmp_path, node, LINES)
    put(tmp_path, 9, of_another([*LINES, change(15, partitionId=7, isr=[1])]), cluster="d")
    shown = report(tmp_path)
    assert ("KR523", 15) in {(rule, offset) for rule, _, offset in found(shown)}
    assert apart(shown.notes) == []


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_a_copy_that_differs_in_some_records_is_of_the_same_cluster(engine: str, tmp_path: Path) -> None:
    for node in (1, 2, 3):
        other = change(14, partitionId=0, isr=[2 if node == 1 else 1])
        put(tmp_path, node, [*LINES[:-1], other])
    shown = report(tmp_path, engine=engine)
    assert ("KR501", "illegal", 14) in found(shown)
    assert apart(shown.notes) == []


def test_copies_that_begin_later_are_of_the_same_cluster(tmp_path: Path) -> None:
    """No offset is in both files, but both are about the same topic."""
    put(tmp_path, 1, LINES)
    later = [change(offset, partitionId=0, isr=[1]) for offset in (40, 41)]
    put(tmp_path, 2, later, SEGMENT.replace("00.log", "40.log"))
    assert apart(report(tmp_path).notes) == []
