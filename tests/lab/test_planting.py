"""Planting faults: deterministic, one change, in the wording of the recording's release."""

from __future__ import annotations

from pathlib import Path

import pytest
from isrproof.specs.errors import IsrproofError
from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

from lab.faults import KINDS, Fault, Recording, load, some, write
from tests.recordings import RECORDED

NAMES = (
    "failover-on-leader-2.3.1-kill",
    pytest.param("zombie-2.0.0", marks=pytest.mark.full),
    pytest.param("lifecycle-3.9.1", marks=pytest.mark.full),
)


@pytest.fixture(scope="module", params=NAMES)
def recording(request: pytest.FixtureRequest) -> Recording:
    return load(RECORDED / request.param)


def faults(recording: Recording, seed: int = 1) -> list[Fault]:
    return [fault for kind in KINDS for fault in some(recording, kind, 2, seed)]


def test_the_same_seed_plants_the_same(recording: Recording) -> None:
    assert faults(recording) == faults(load(RECORDED / recording.name))
    assert faults(recording) != faults(recording, seed=2)


def test_without_a_fault_the_lines_are_kept(recording: Recording, tmp_path: Path) -> None:
    write(recording, tmp_path)
    for path, lines in recording.files.items():
        assert (tmp_path / path).read_text(encoding="utf-8").splitlines() == list(lines)


@pytest.mark.full
def test_a_fault_changes_its_lines_and_no_other(recording: Recording, tmp_path: Path) -> None:
    for number, fault in enumerate(faults(recording)):
        folder = tmp_path / str(number)
        write(recording, folder, fault)
        for path, lines in recording.files.items():
            changed = (folder / path).read_text(encoding="utf-8").splitlines()
            edits = [edit for edit in fault.edits if edit.file == path]
            for edit in sorted(edits, key=lambda edit: edit.line):
                if edit.added:
                    assert parse_line(changed.pop(edit.line)) == edit.event
                elif edit.event is None:
                    changed.insert(edit.line - 1, lines[edit.line - 1])
                else:
                    assert parse_line(changed[edit.line - 1]) == edit.event
                    assert changed[edit.line - 1] != lines[edit.line - 1]
                    changed[edit.line - 1] = lines[edit.line - 1]
            assert changed == list(lines)


def test_the_wording_is_the_release_s_own(recording: Recording) -> None:
    for fault in faults(recording):
        for edit in fault.edits:
            before = parse_line(recording.files[edit.file][edit.line - 1])
            assert isinstance(before, Event)
            if edit.event is not None:
                assert edit.event.releases & recording.release.mask
                assert edit.event.row == before.row or edit.added


def test_a_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsrproofError, match=r"manifest\.json"):
        load(tmp_path)


def test_what_is_sent_wrongly_is_received_and_cached_so() -> None:
    recording = load(RECORDED / "failover-on-leader-2.3.1-kill")
    rows = {"leader-and-isr-received": 0, "metadata-cached": 0}
    for fault in some(recording, "two leaders in one epoch", 10, 1):
        wrong = {(edit.event.leader, edit.event.leader_epoch) for edit in fault.edits if edit.event is not None}
        assert len(wrong) == 1
        for edit in fault.edits:
            if edit.event is not None and edit.event.row in rows:
                rows[edit.event.row] += 1
    assert all(rows.values())
