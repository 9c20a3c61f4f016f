"""Metadata logs against the model `kraft`: recordings are paths of it, faults are not, and the guard is named."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from shutil import copytree

import pytest
from isrproof.checker.conformance.metadata.contexts import Choices
from isrproof.checker.conformance.metadata.validate import validate
from isrproof.specs.errors import IsrproofError
from isrproof.specs.metadata.levels import levels
from isrproof.specs.releases import release
from isrproof.traces.metadata.batches import HEADER, Batches
from isrproof.traces.metadata.reader import FRAME
from isrproof.traces.metadata.text import log_bytes
from isrproof.traces.metadata.writer import data_value, raw_batch

from tests.checker.audit.test_metadata_faults import FAULTS, Log, planted, recordings
from tests.conftest import SHARED
from tests.metadata_folders import BEGINNING
from tests.metadata_logs import unpack_samples
from tests.newer_records import WAYS, offsets, rewritten

SAMPLES = SHARED / "kafka" / "kraft-samples"
PARTITION_CHANGE, NO_OP = 5, 20
"""Types of records. Source: MetadataRecordType."""
RECORDED = {each.name: each for each in recordings()}


@pytest.mark.full(every=8)
@pytest.mark.parametrize("recording", RECORDED)
def test_a_recording_is_a_path_of_the_model(recording: str) -> None:
    found = validate([str(RECORDED[recording])], Choices())
    assert (found.verdict, found.reason) == ("accepted", "")
    assert found.matched == found.compared > 10


@pytest.mark.skipif(not SAMPLES.exists(), reason="../shared/kafka/kraft-samples is not here")
def test_the_samples_are_paths_of_the_model(tmp_path: Path) -> None:
    for folder in unpack_samples(SHARED, tmp_path).iterdir():
        found = validate([str(folder)], Choices())
        assert (found.verdict, found.reason) == ("accepted", "")
        assert found.matched == found.compared > 100


@pytest.mark.parametrize(
    ("recording", "fixed", "bug", "guard"),
    [
        ("elr-4.0.0", "4.1", "KAFKA-19522", "Register: unclean: the elected replica is active"),
        (
            "chaos-3.5.2",
            "3.8",
            "KAFKA-15665",
            "Reassign: a reassignment ends when all replicas that stay are in the ISR",
        ),
    ],
)
def test_a_released_bug_is_no_path_where_it_is_mended(recording: str, fixed: str, bug: str, guard: str) -> None:
    for chosen in (Choices(release(fixed).mask), Choices(without=(bug,))):
        found = validate([str(RECORDED[recording])], chosen)
        assert (found.verdict, found.guard) == ("rejected", guard)
        assert found.place is not None
    again = validate([str(RECORDED[recording])], Choices(release(fixed).mask, adding=(bug,)))
    assert again.place != found.place or again.verdict == "accepted"


def voters(log: Log) -> list[int]:
    """Return the nodes that must have a record for it to be committed."""
    changes = [each for batch in log.batches for each in batch.records if each.type == "LEADER_CHANGE"]
    return [each["voterId"] for each in (changes[-1].data or {})["voters"]]


NOT_OF_THE_MODEL = {
    *("directory_of_another", "directory_of_nobody", "topic_id_reused", "topic_name_reused", "hole_in_partitions"),
    *("change_of_nothing", "transaction_in_transaction", "producer_ids_again"),
    *("minority_leader", "leader_that_is_no_voter", "two_voters_at_once", "wrong_broker_epoch", "broker_epoch_reused"),
}
"""Faults of what is in no projection on one partition and its brokers, and of epochs of brokers: rules have these."""


@pytest.mark.full(every=16)
@pytest.mark.parametrize("name", sorted({*FAULTS} - NOT_OF_THE_MODEL))
@pytest.mark.parametrize("most", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_a_planted_fault_is_no_path(name: str, most: int, tmp_path: Path) -> None:
    among = (RECORDED[each] for each in ("unclean-3.3.2", "chaos-3.5.2", "jbod-3.7.2", "chaos-4.2.0"))
    several = [*islice(planted(name, among, tmp_path, voters), most)]
    assert several
    for folder, log, message, at in several:
        found = validate([str(folder)], Choices())
        assert found.place is not None, (folder.name, message)
        assert log.end <= (found.place.offset or 0) <= at


def copied(recording: str, folder: Path) -> list[Path]:
    """The segments of a copy of a recording, by node."""
    copytree(RECORDED[recording], folder)
    return sorted(folder.glob("node-*/metadata/*.log"))


def torn(segment: Path) -> None:
    """As a copy of a live node: the last batch is half there."""
    segment.write_bytes(segment.read_bytes().rstrip(b"\0")[:-10])


def harmed(segment: Path, offset: int) -> int:
    """A byte of the batch with the record at an offset is another one; the batch's first offset."""
    batch = next(each for each in Batches(str(segment)).frames() if each.last >= offset)
    content = bytearray(segment.read_bytes())
    content[batch.position + HEADER.size] ^= 0xFF
    segment.write_bytes(content)
    return batch.offset


def test_a_log_is_accepted_up_to_what_was_looked_at(tmp_path: Path) -> None:
    """A copy of a live node ends with half a batch: what it hides nobody can know, and nothing is said of it."""
    segments = copied("elr-4.0.0", tmp_path / "log")
    for each in segments:
        torn(each)
    found, whole = validate([str(tmp_path / "log")]), validate([str(RECORDED["elr-4.0.0"])])
    assert (whole.verdict, whole.offsets, whole.notes) == ("accepted", ((0, 326),), ())
    assert (found.verdict, found.offsets, found.reason) == ("accepted", ((0, 325),), "")
    assert len(found.notes) == len(segments)
    assert all("the last batch is cut off" in note for note in found.notes)


def test_what_another_copy_has_is_looked_at(tmp_path: Path) -> None:
    first, *_ = copied("elr-4.0.0", tmp_path / "log")
    torn(first)
    assert validate([str(tmp_path / "log")]).offsets == ((0, 326),)
    harmed(first, 100)
    found = validate([str(tmp_path / "log")])
    assert (found.verdict, found.offsets) == ("accepted", ((0, 326),))


def test_a_log_is_not_accepted_for_committed_records_that_were_not_looked_at(tmp_path: Path) -> None:
    (lost,) = {harmed(each, 100) for each in copied("elr-4.0.0", tmp_path / "log")}
    found = validate([str(tmp_path / "log")])
    assert (found.verdict, found.place) == ("unknown", None)
    (first, end), (start, last) = found.offsets
    assert (first, end, last) == (0, lost - 1, 326)
    assert f"not compared: offsets {lost} to {start - 1}; " in found.reason


def test_a_hole_at_the_end_is_one_too(tmp_path: Path) -> None:
    """In one copy a snapshot shows what is committed: here more than can be compared."""
    first, *_ = copied("elr-4.0.0", tmp_path / "log")
    lost = harmed(first, 273)
    found = validate([str(first.parent)])
    assert (found.verdict, found.offsets) == ("unknown", ((0, lost - 1),))
    assert f"not compared: offsets {lost} to 274; " in found.reason


def without(folder: Path, first: int, last: int) -> None:
    """No copy has the batches from about one offset to another any more, and no snapshot is there."""
    for segment in sorted(folder.glob("node-*/metadata/*.log")):
        content, frames = segment.read_bytes(), list(Batches(str(segment)).frames())
        begin, end = (next(each for each in frames if each.offset >= offset) for offset in (first, last))
        segment.with_name(f"{end.offset:020d}.log").write_bytes(content[end.position :])
        if begin.position:
            segment.write_bytes(content[: begin.position])
        else:
            segment.unlink()
    for snapshot in folder.rglob("*.checkpoint"):
        snapshot.unlink()


@pytest.mark.parametrize(("recording", "start"), [("elr-4.1.0", 60), ("chaos-3.5.2", 120)])
def test_a_log_that_begins_nowhere_is_not_rejected(recording: str, start: int, tmp_path: Path) -> None:
    """No file shows the registered brokers and the enabled features."""
    copied(recording, tmp_path / "log")
    without(tmp_path / "log", 0, start)
    found = validate([str(tmp_path / "log")])
    assert (found.verdict, found.compared, found.offsets) == ("unknown", 0, ())
    assert "no snapshot shows the state before the first record" in found.reason


def test_after_a_hole_that_no_snapshot_fills_nothing_is_compared(tmp_path: Path) -> None:
    copied("elr-4.1.0", tmp_path / "log")
    without(tmp_path / "log", 60, 100)
    found = validate([str(tmp_path / "log")])
    assert (found.verdict, found.place) == ("unknown", None)
    ((begun, end),) = found.offsets
    assert begun == 0
    assert 59 <= end < 100
    assert f"not compared: offsets {end + 1} to " in found.reason
    assert "their effect is in no snapshot" in found.reason


@pytest.mark.parametrize(("key", "verdict"), [(PARTITION_CHANGE, "unknown"), (NO_OP, "accepted")])
def test_a_record_that_nobody_can_read_may_be_anything(key: int, verdict: str, tmp_path: Path) -> None:
    """A version of a record that only a later release has: it may change a partition in any way."""
    version = 9 if verdict == "unknown" else 0
    value = bytes((FRAME, key, version, 0))
    record = bytes((0, 0, 0, 1, 2 * len(value))) + value + bytes(1)
    tail = raw_batch([bytes((2 * len(record),)) + record], len(BEGINNING), 1)
    (tmp_path / "00000000000000000000.log").write_bytes(log_bytes(BEGINNING) + tail)
    found = validate([str(tmp_path)])
    assert (found.verdict, found.offsets) == (verdict, ((0, len(BEGINNING)),))
    assert ("PARTITION_CHANGE_RECORD, version 9, is newer" in found.reason) == (verdict == "unknown")


def test_a_release_that_cannot_run_at_the_level_of_the_log_is_misuse() -> None:
    with pytest.raises(IsrproofError, match=r"Kafka 3\.9 can write, got metadata\.version 4\.1-IV1; .* one of >=4\.1"):
        validate([str(RECORDED["elr-4.1.0"])], Choices(release("3.9").mask))
    assert validate([str(RECORDED["elr-4.1.0"])], Choices(release("4.1").mask)).verdict == "accepted"


CHANGES = ("PARTITION_CHANGE_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD")


@pytest.mark.parametrize("way", sorted(WAYS))
def test_what_is_not_known_is_neither_accepted_nor_rejected(way: str, tmp_path: Path) -> None:
    """From a record on that a later release wrote nothing is compared; all before it fits."""
    (start, *_) = [
        at for at, kind in offsets(copied("elr-4.1.0", tmp_path / "log")[0].read_bytes()) if kind in CHANGES
    ][5:]
    for segment in tmp_path.glob("log/node-*/metadata/*.log"):
        raw = segment.read_bytes()
        kinds = dict(offsets(raw))
        later = {at for at, kind in kinds.items() if at >= start and kind in CHANGES}
        segment.write_bytes(rewritten(raw, later.__contains__, WAYS[way]))
    found = validate([str(tmp_path / "log")], Choices())
    assert (found.verdict, found.place) == ("unknown", None)
    assert found.reason.startswith(f"nothing is compared from offset {start} on")
    assert found.matched == found.compared > 0


def test_a_level_that_is_not_known_is_neither_accepted_nor_rejected(tmp_path: Path) -> None:
    for segment in copied("elr-4.1.0", tmp_path / "log"):
        raw, newest = segment.read_bytes(), max(levels())
        data = {"name": "metadata.version", "featureLevel": newest + 1}
        kinds = dict(offsets(raw))
        first = min((at for at, kind in kinds.items() if kind == "FEATURE_LEVEL_RECORD"), default=-1)
        value = data_value("FEATURE_LEVEL_RECORD", 0, data)
        segment.write_bytes(rewritten(raw, lambda at, first=first: at == first, lambda _, value=value: value))
    found = validate([str(tmp_path / "log")], Choices())
    assert (found.verdict, found.compared) == ("unknown", 0)
    assert f"metadata.version {newest + 1} is newer than this program knows" in found.reason
