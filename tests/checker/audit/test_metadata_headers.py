"""Headers of batches that lie in one copy of a metadata log, though they fit each other: nothing illegal is gained."""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import google_crc32c
import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options

from tests.metadata_damage import positions

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
NAMES = sorted(each.parent.name for each in RECORDED.glob("*/manifest.json"))
AT_ONCE = 10
_EPOCH, _CRC, _CHECKED, _BASE_TIME, _MAX_TIME = 12, 17, 21, 27, 35
"""Places in the header of a batch."""

Lie = Callable[[random.Random, bytearray, Sequence[int]], None]
"""Changes a segment with batches at these positions."""


def _add(raw: bytearray, at: int, form: str, number: int) -> None:
    (before,) = struct.unpack_from(form, raw, at)
    bits = 8 * struct.calcsize(form)
    struct.pack_into(form, raw, at, (before + number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1))


def _ends(dice: random.Random, count: int) -> int:
    """The number of a batch: often one of the first or the last, whose neighbours show less."""
    return dice.choice((0, 1, min(2, count - 1), count - 1, max(0, count - 2), dice.randrange(count))) % count


def bit_at_an_end(dice: random.Random, raw: bytearray, batches: Sequence[int]) -> None:
    """One bit that no CRC covers is another."""
    byte = batches[_ends(dice, len(batches))] + dice.choice((*range(4, 12), *range(_EPOCH, 16)))
    raw[byte] ^= 1 << dice.randrange(8)


def offsets_from_one_on(dice: random.Random, raw: bytearray, batches: Sequence[int]) -> None:
    """All offsets from a batch on are shifted."""
    step = dice.choice((-1, 1, 2, 100, 1 << 20))
    for at in batches[_ends(dice, len(batches)) :]:
        _add(raw, at, ">q", step)


def epochs_from_one_on(dice: random.Random, raw: bytearray, batches: Sequence[int]) -> None:
    """All epochs from a batch on are others."""
    step = dice.choice((-1, 1, 2, 100, 1 << 20))
    for at in batches[_ends(dice, len(batches)) :]:
        _add(raw, at + _EPOCH, ">i", step)


def epoch_of_one_reign(dice: random.Random, raw: bytearray, batches: Sequence[int]) -> None:
    """All batches of an epoch have another."""
    epochs = [struct.unpack_from(">i", raw, at + _EPOCH)[0] for at in batches]
    chosen, other = dice.choice(epochs), dice.choice((*epochs, max(epochs) + 1, max(epochs) + 7))
    for at, epoch in zip(batches, epochs, strict=True):
        if epoch == chosen:
            struct.pack_into(">i", raw, at + _EPOCH, other)


def times(dice: random.Random, raw: bytearray, batches: Sequence[int]) -> None:
    """Times of one batch, or of all from one on, lie; their CRCs are right."""
    first = _ends(dice, len(batches))
    places = dice.choice(((_BASE_TIME,), (_MAX_TIME,), (_BASE_TIME, _MAX_TIME)))
    step = dice.choice((-1, 1, -1000, 60_000, -3_600_000, 86_400_000, -(1 << 40), 1 << 40, 1 << 62))
    for at in batches[first : first + 1] if dice.random() < 0.5 else batches[first:]:
        for place in places:
            _add(raw, at + place, ">q", step)
        end = at + 12 + struct.unpack_from(">i", raw, at + 8)[0]
        struct.pack_into(">I", raw, at + _CRC, google_crc32c.value(bytes(raw[at + _CHECKED : end])))


LIES: Sequence[Lie] = (bit_at_an_end, offsets_from_one_on, epochs_from_one_on, epoch_of_one_reign, times)


def illegal(folders: Sequence[Path]) -> list[set[tuple[str, str]]]:
    reports = audit([str(each) for each in folders], Options(each=True, engine="columns"))
    return [{(f.rule, str(f.entity)) for f in report.findings if f.verdict == "illegal"} for report in reports]


def linked(recording: Path, folder: Path) -> None:
    """A copy whose files are links, without the dumps."""
    ignored = shutil.ignore_patterns("*.xz", "*.json*")
    shutil.copytree(recording, folder, ignore=ignored, copy_function=lambda a, b: os.link(a, b))


def lying(name: str, lie: Lie, tries: int, folder: Path) -> Iterator[tuple[Path, int, set[tuple[str, str]]]]:
    """Yield copies of a recording with a lie in one of its files, and the illegal findings that are gained by it."""
    recording = RECORDED / name
    files = sorted((*recording.glob("node-*/metadata/*.log"), *recording.glob("node-*/metadata/*.checkpoint")))
    linked(recording, folder / "whole")
    (known,) = illegal([folder / "whole"])
    for begin in range(0, tries, AT_ONCE):
        made = []
        for number in range(begin, min(begin + AT_ONCE, tries)):
            dice = random.Random(f"{name} {lie.__name__} {number}")
            file = dice.choice(files)
            raw = bytearray(file.read_bytes())
            lie(dice, raw, positions(bytes(raw)))
            linked(recording, folder / str(number))
            there = folder / str(number) / file.relative_to(recording)
            there.unlink()
            there.write_bytes(raw)
            made.append((folder / str(number), file, number))
        for (place, file, number), found in zip(made, illegal([place for place, _, _ in made]), strict=True):
            yield file.relative_to(recording), number, found - known
            shutil.rmtree(place)


@pytest.mark.parametrize(
    ("name", "tries"),
    [
        pytest.param("failover-3.5.2", 2, marks=pytest.mark.full),
        *(pytest.param(name, 200, marks=pytest.mark.slow) for name in NAMES),
    ],
)
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_header_that_lies_is_no_evidence(lie: Lie, name: str, tries: int, tmp_path: Path) -> None:
    for file, number, gained in lying(name, lie, tries, tmp_path):
        assert not gained, (file, number, gained)
