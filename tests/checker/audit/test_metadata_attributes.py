"""Batches of a metadata log with attributes that this program does not know: what it does not know is no evidence."""

from __future__ import annotations

import struct
from pathlib import Path

import google_crc32c
import pytest

from tests.metadata_damage import positions
from tests.metadata_folders import BEGINNING, THREE_VOTERS, change, found, put, report

_ATTRIBUTES, _CRC = 21, 17
LINES = [*THREE_VOTERS, change(13, partitionId=0, isr=[1, 2])]
KNOWN = (0x0001, 0x0008, 0x0020)
"""Attributes that the program knows: gzip, the time of an append, control records. This batch has none of them."""
UNKNOWN = (0x0005, 0x0006, 0x0007, 0x0010, 0x0040, 0x0080, 0x2000, 0x8000)
"""Compressions and bits that no known release gives to a batch of the metadata log."""


def with_attributes(file: Path, number: int, attributes: int) -> None:
    """Give the batch of this number other attributes, and make its CRC right again."""
    raw = bytearray(file.read_bytes())
    at = positions(bytes(raw))[number]
    struct.pack_into(">H", raw, at + _ATTRIBUTES, struct.unpack_from(">H", raw, at + _ATTRIBUTES)[0] | attributes)
    end = at + 12 + struct.unpack_from(">i", raw, at + 8)[0]
    struct.pack_into(">I", raw, at + _CRC, google_crc32c.value(bytes(raw[at + _ATTRIBUTES : end])))
    file.write_bytes(raw)


@pytest.mark.parametrize("engine", ["python", "columns"])
@pytest.mark.parametrize("attributes", [*KNOWN, *UNKNOWN], ids=hex)
def test_a_batch_that_is_not_read_in_one_copy_differs_from_no_other(
    attributes: int, engine: str, tmp_path: Path
) -> None:
    files = [put(tmp_path, node, LINES) for node in (1, 2, 3)]
    batches = len(positions(files[0].read_bytes()))
    for number in (1, batches - 1):
        with_attributes(files[0], number, attributes)
    shown = report(tmp_path, engine=engine)
    assert {(rule, verdict) for rule, verdict, _ in found(shown)} == {("KR501", "unknown")}
    assert shown.verdict == "incomplete"


def test_other_records_in_a_batch_that_is_read_are_still_illegal(tmp_path: Path) -> None:
    for node in (1, 2, 3):
        lines = [*THREE_VOTERS, change(13, partitionId=0, isr=[1, 2 if node > 1 else 3])]
        put(tmp_path, node, lines)
    assert ("KR501", "illegal", 13) in found(report(tmp_path))


@pytest.mark.parametrize("engine", ["python", "columns"])
def test_findings_after_a_batch_with_unknown_attributes_are_unknown(engine: str, tmp_path: Path) -> None:
    lines = [*BEGINNING, change(13, partitionId=0, isr=[1, 2]), change(14, partitionId=7, isr=[1])]
    file = put(tmp_path, 1, lines)
    assert ("KR523", "illegal", 14) in found(report(tmp_path, engine=engine))
    with_attributes(file, len(positions(file.read_bytes())) - 2, 0x0080)
    shown = report(tmp_path, engine=engine)
    assert ("KR523", "unknown", 14) in found(shown)
    assert "illegal" not in {verdict for _, verdict, _ in found(shown)}
    assert shown.not_known == ("batches with attributes 0x0080 are not known",)
