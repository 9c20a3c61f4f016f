"""Damage to one copy of a metadata log never passes quietly: the report names the file, and the run is incomplete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.metadata_damage import positions
from tests.metadata_folders import BEGINNING, THREE_VOTERS, change, found, put, report

LINES = [*THREE_VOTERS, *(change(offset, partitionId=0, isr=[1, *[2] * (offset % 2)]) for offset in range(13, 20))]
SNAPSHOT = "00000000000000000013-0000000001.checkpoint"


def batches(raw: bytes) -> list[bytes]:
    begins = positions(raw)
    return [raw[begin:end] for begin, end in zip(begins, [*begins[1:], len(raw)], strict=True)]


def without_one(raw: bytes) -> bytes:
    return b"".join(batches(raw)[:5] + batches(raw)[6:])


def without_the_first(raw: bytes) -> bytes:
    return b"".join(batches(raw)[1:])


def with_one_twice(raw: bytes) -> bytes:
    return b"".join(batches(raw)[:6] + batches(raw)[5:])


def swapped(raw: bytes) -> bytes:
    each = batches(raw)
    return b"".join([*each[:4], each[5], each[4], *each[6:]])


def zeroed(raw: bytes) -> bytes:
    each = batches(raw)
    return b"".join([*each[:5], bytes(len(each[5])), *each[6:]])


def with_zeros_at_its_end(raw: bytes) -> bytes:
    return b"".join(batches(raw)[:-1]) + bytes(len(batches(raw)[-1]))


def zeros(raw: bytes) -> bytes:
    return bytes(len(raw))


def empty(raw: bytes) -> bytes:
    return b""


OF_SEGMENTS = (without_one, without_the_first, with_one_twice, swapped, zeroed, with_zeros_at_its_end)


@pytest.mark.parametrize("engine", ["python", "columns"])
@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("damage", OF_SEGMENTS, ids=lambda damage: damage.__name__)
def test_damage_to_a_segment_is_named(
    damage: Callable[[bytes], bytes], copies: int, engine: str, tmp_path: Path
) -> None:
    first, *_ = [put(tmp_path, node, LINES) for node in range(1, copies + 1)]
    first.write_bytes(damage(first.read_bytes()))
    shown = report(tmp_path, engine=engine)
    assert shown.verdict == "incomplete"
    assert "illegal" not in {verdict for _, verdict, _ in found(shown)}
    assert [note for note in shown.notes if note.startswith(f"{first}: ")]


def test_a_segment_of_zeros_is_named(tmp_path: Path) -> None:
    first, *_ = [put(tmp_path, node, LINES) for node in (1, 2, 3)]
    first.write_bytes(zeros(first.read_bytes()))
    shown = report(tmp_path)
    assert (found(shown), shown.verdict) == ([], "incomplete")
    assert [note for note in shown.notes if note.startswith(f"{first}: ") and "zeros" in note]


@pytest.mark.parametrize("damage", [empty, zeros, zeroed], ids=lambda damage: damage.__name__)
def test_damage_to_a_snapshot_is_named(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    put(tmp_path, 1, LINES)
    header, footer = ({"type": f"SNAPSHOT_{end}", "version": 0, "epoch": 1} for end in ("HEADER", "FOOTER"))
    of_state = [json.loads(line) | {"epoch": 1} for line in BEGINNING[1:]]
    lines = [row | {"offset": offset, "batch": offset} for offset, row in enumerate([header, *of_state, footer])]
    snapshot = put(tmp_path, 1, [json.dumps(row) for row in lines], SNAPSHOT)
    whole = report(tmp_path)
    assert (whole.verdict, [note for note in whole.notes if SNAPSHOT in note]) == ("conforms", [])
    snapshot.write_bytes(damage(snapshot.read_bytes()))
    shown = report(tmp_path)
    assert (found(shown), shown.verdict) == ([], "incomplete")
    assert [note for note in shown.notes if note.startswith(f"{snapshot}: ") and "not compared" in note]


def test_a_log_that_ends_before_its_own_snapshot_is_cut(tmp_path: Path) -> None:
    segment = put(tmp_path, 1, LINES)
    put(tmp_path, 2, LINES)
    put(tmp_path, 1, [], SNAPSHOT)
    segment.write_bytes(b"")
    shown = report(tmp_path)
    assert shown.verdict == "incomplete"
    assert [note for note in shown.notes if note.startswith(f"{segment}: the log ends at offset 0")]


@pytest.mark.parametrize("copies", [1, 3])
def test_a_sound_copy_has_no_note(copies: int, tmp_path: Path) -> None:
    """One that has fewer records than others is sound: its node was behind."""
    for node in range(1, copies + 1):
        put(tmp_path, node, LINES[: len(LINES) - node + 1])
    shown = report(tmp_path)
    assert (shown.verdict, [note for note in shown.notes if str(tmp_path) in note]) == ("conforms", [])
