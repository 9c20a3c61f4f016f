"""Bits of a batch's header that no CRC covers: what does not follow from its neighbours is left out, and noted."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from isrproof.checker.audit.command import audit
from isrproof.checker.audit.options import Options
from isrproof.traces.metadata.batches import Batches

from tests.metadata_damage import positions

RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"
NAMES = sorted(each.parent.name for each in RECORDED.glob("*/manifest.json"))
_OFFSET_BITS, _EPOCH_BITS = range(64), range(96, 128)
_LENGTH_BITS = range(64, 96)


def flipped(raw: bytes, bit: int) -> bytes:
    """Return bytes in which a bit, counted from the first, is another."""
    at = bit // 8
    return raw[:at] + bytes([raw[at] ^ 1 << 7 - bit % 8]) + raw[at + 1 :]


@pytest.mark.slow(every=3)
@pytest.mark.full(every=15)
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_whose_offset_or_epoch_lies_is_left_out_alone(name: str, tmp_path: Path) -> None:
    """One bit is another: the batch is not read, and all others are."""
    dice = random.Random(name)
    (whole, *_) = sorted((RECORDED / name).glob("node-*/metadata/*.log"))
    raw, path = whole.read_bytes(), tmp_path / whole.name
    sound = list(Batches(str(whole)).frames())
    inner = range(1, len(sound) - 1)
    for number in dice.sample(inner, min(20, len(inner))):
        for bit in (*_OFFSET_BITS, *_EPOCH_BITS):
            path.write_bytes(flipped(raw, sound[number].position * 8 + bit))
            batches = Batches(str(path), adjoining=True)
            assert list(batches.frames()) == [*sound[:number], *sound[number + 1 :]], (number, bit)
            assert batches.problem is not None


def illegal(folders: list[Path]) -> list[set[tuple[str, str]]]:
    """The illegal findings of each folder."""
    reports = audit([str(each) for each in folders], Options(each=True, engine="columns"))
    return [{(f.rule, str(f.entity)) for f in report.findings if f.verdict == "illegal"} for report in reports]


@pytest.mark.parametrize(
    "tries",
    [1, pytest.param(10, marks=pytest.mark.full), pytest.param(2_000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("name", ["elr-4.1.0"])
def test_nothing_illegal_is_gained_by_a_bit_that_no_checksum_covers(name: str, tries: int, tmp_path: Path) -> None:
    """In a copy beside others, and beside the text of the nodes."""
    dice = random.Random(tries)
    folders = [tmp_path / "whole"]
    shutil.copytree(RECORDED / name, folders[0], ignore=shutil.ignore_patterns("*.xz", "*.jsonl"))
    (known,) = illegal(folders)
    logs = [each.relative_to(folders[0]) for each in sorted(folders[0].glob("node-*/metadata/*.log"))]
    for number in range(tries):
        log = dice.choice(logs)
        raw = (folders[0] / log).read_bytes()
        at = dice.choice(positions(raw))
        bit = dice.choice((*_OFFSET_BITS[48:], *_LENGTH_BITS[16:], *_EPOCH_BITS[16:]))
        damaged = tmp_path / str(number)
        shutil.copytree(folders[0], damaged)
        (damaged / log).write_bytes(flipped(raw, at * 8 + bit))
        (found,) = illegal([damaged])
        assert found <= known, (log, at, bit)
        shutil.rmtree(damaged)


def test_an_offset_that_was_read_as_another_batch_is_no_evidence(tmp_path: Path) -> None:
    """This gave seven illegal findings: records were applied at the place of others."""
    folder = tmp_path / "damaged"
    shutil.copytree(RECORDED / "elr-4.1.0", folder, ignore=shutil.ignore_patterns("*.xz", "*.jsonl"))
    log = folder / "node-1" / "metadata" / "00000000000000000000.log"
    log.write_bytes(flipped(log.read_bytes(), 3310 * 8 + 56))
    (report,) = audit([str(folder)], Options(engine="columns"))
    assert [finding.rule for finding in report.findings if finding.verdict == "illegal"] == []
    assert any("not" in (file.problem or "") and "byte 3310" in (file.problem or "") for file in report.files)
