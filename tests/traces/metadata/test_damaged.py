"""Damaged segments and snapshots: sound parts are read, others are reported in a line, in bounded memory."""

from __future__ import annotations

import random
import resource
import struct
from pathlib import Path

import google_crc32c
import pytest
from isrproof.traces.metadata.batches import HEADER, Batches
from isrproof.traces.metadata.writer import raw_batch

from tests import metadata_damage

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
_MOST_MEMORY = 400 << 20
"""Bytes that the process may grow by: some batches of the most that is believed."""
SEEDS = [300, pytest.param(10_000, marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def sound() -> list[bytes]:
    """Files of all recordings, and batches of theirs that are compressed."""
    found = sorted(file for kind in ("log", "checkpoint") for file in RECORDED.glob(f"*/node-*/metadata/*.{kind}"))
    plain = [file.read_bytes() for file in found]
    return [*plain, *(_compressed(raw, codec) for raw in plain[::7] for codec in (1, 2, 3, 4))]


def _compressed(raw: bytes, codec: int) -> bytes:
    found = b""
    for at in metadata_damage.positions(raw):
        size = 12 + struct.unpack_from(">i", raw, at + 8)[0]
        offset, epoch = struct.unpack_from(">q", raw, at)[0], struct.unpack_from(">i", raw, at + 12)[0]
        count, control = struct.unpack_from(">i", raw, at + 57)[0], raw[at + 22] & 0x20 != 0
        records = [raw[at + HEADER.size : at + size], *[b""] * (count - 1)]
        found += raw_batch(records, offset, epoch, control=control, codec=codec)
    return found


@pytest.mark.full
@pytest.mark.parametrize("files", SEEDS)
def test_nothing_is_read_whose_checksum_is_wrong(files: int, sound: list[bytes], tmp_path: Path) -> None:
    dice = random.Random(files)
    path = tmp_path / "00000000000000000000.log"
    for number in range(files):
        whole, way = dice.choice(sound), dice.choice(sorted(metadata_damage.WAYS))
        raw = metadata_damage.WAYS[way](dice, whole)
        path.write_bytes(raw)
        reader = Batches(str(path))
        for frame in reader.frames():
            assert google_crc32c.value(frame.raw[21:]) == struct.unpack_from(">I", frame.raw, 17)[0], (number, way)
            assert frame.raw[21:] in metadata_damage.checked(whole), (number, way)
            reader.decoded(frame)
        lost = metadata_damage.checked(whole) - metadata_damage.checked(raw)
        assert (reader.problem is not None) or not lost or metadata_damage.shows_nothing(raw), (number, way)
        assert "\n" not in (reader.problem or ""), (number, way)


@pytest.mark.full
@pytest.mark.parametrize("files", SEEDS)
def test_a_batch_that_lies_is_left_out_or_read_in_bounded_memory(
    files: int, sound: list[bytes], tmp_path: Path
) -> None:
    """Its length and its CRC are right, so the records themselves are walked: varints without end, lengths and counts
    that lie, other compressions."""
    dice = random.Random(files)
    path = tmp_path / "00000000000000000000.log"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    left_out = 0
    for number in range(files):
        whole = dice.choice(sound)
        raw = metadata_damage.forged(dice, whole)
        path.write_bytes(raw)
        reader = Batches(str(path))
        batches = sum(1 for _ in reader)
        expected = len(metadata_damage.positions(whole))
        assert batches + reader.problems == expected, number  # each is read, or told of
        assert "\n" not in (reader.problem or ""), number
        left_out += batches < expected
    assert left_out > files / 4
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < _MOST_MEMORY
