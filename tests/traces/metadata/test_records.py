"""Records that are written are read again and equal Kafka's dumps; broken ones are reported and dropped."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isrproof.specs.metadata import RAW, types_by_name
from isrproof.traces.metadata import compression
from isrproof.traces.metadata.batches import Batches, Record
from isrproof.traces.metadata.files import found_in, is_metadata, named, node_of
from isrproof.traces.metadata.reader import control_record, data_record
from isrproof.traces.metadata.wire import MalformedError, put_uvarint, put_varint, uvarint, varlong
from isrproof.traces.metadata.writer import batch, control_key_and_value, data_value, raw_batch

from tests.conftest import SHARED
from tests.metadata_logs import CONTROL, compare_with_dump, messages, unpack_samples


@given(st.integers(0, 2**31 - 1), st.integers(-(2**63), 2**63 - 1))
def test_varints_are_read_as_written(small: int, large: int) -> None:
    assert uvarint(put_uvarint(small), 0) == (small, len(put_uvarint(small)))
    assert varlong(put_varint(large), 0) == (large, len(put_varint(large)))


def test_a_varint_without_end_is_none() -> None:
    with pytest.raises(MalformedError):
        uvarint(b"\xff" * 100, 0)


@given(messages())
@settings(max_examples=300)
def test_a_data_record_is_read_as_written(message: tuple[str, int, dict[str, object]]) -> None:
    assert data_record(data_value(*message), []) == (*message, False)


@given(messages(CONTROL))
def test_a_control_record_is_read_as_written(message: tuple[str, int, dict[str, object]]) -> None:
    assert control_record(*control_key_and_value(*message), []) == (*message, False)


@given(st.lists(messages(), min_size=1, max_size=5), st.integers(0, 2**40), st.sampled_from(range(5)))
@settings(max_examples=60)
def test_batches_are_read_as_written_in_every_compression(written: list, offset: int, codec: int) -> None:
    file = SCRATCH / "x.log"
    file.write_bytes(batch(written, offset, 7, 1234, codec=codec))
    batches = Batches(str(file))
    (one,) = batches
    assert batches.problem is None
    assert (one.offset, one.last, one.epoch, one.control) == (offset, offset + len(written) - 1, 7, False)
    assert list(one.records) == [
        Record(offset + at, 7, 1234, offset, *message, False) for at, message in enumerate(written)
    ]


SCRATCH: Path


@pytest.fixture(autouse=True, scope="module")
def _scratch(tmp_path_factory: pytest.TempPathFactory) -> None:
    global SCRATCH
    SCRATCH = tmp_path_factory.mktemp("logs")


def test_what_the_table_lacks_is_marked_and_counted(tmp_path: Path) -> None:
    """A later type, later versions with a field and without, a later tag."""
    noop = data_value("NO_OP_RECORD", 0, {})
    unknown_type = put_uvarint(1) + put_uvarint(99) + put_uvarint(3) + b"whatever"
    later_version = put_uvarint(1) + put_uvarint(20) + put_uvarint(1)
    later_tag = noop[:-1] + put_uvarint(1) + put_uvarint(5) + put_uvarint(3) + b"abc"
    values = [unknown_type, later_version + b"more\0", later_version + b"\0", later_tag, noop]
    records = [_record(at, value) for at, value in enumerate(values)]
    (tmp_path / "x").write_bytes(raw_batch(records, 10, 1))
    batches = Batches(str(tmp_path / "x"))
    (found,) = batches
    assert [(each.type, each.version, each.data, each.partial) for each in found.records] == [
        ("UNKNOWN(99)", 3, None, True),
        ("NO_OP_RECORD", 1, None, True),
        ("NO_OP_RECORD", 1, {}, True),
        ("NO_OP_RECORD", 0, {}, True),
        ("NO_OP_RECORD", 0, {}, False),
    ]
    assert batches.counts.decoded == 3
    assert batches.counts.unknown == {"UNKNOWN(99), version 3": 1, "NO_OP_RECORD, version 1": 1}
    assert batches.counts.partial == {"NO_OP_RECORD, version 1": 1, "NO_OP_RECORD, version 0": 1}
    assert batches.counts.tags == {5: 1}
    assert batches.problem is None


def _record(delta: int, value: bytes) -> bytes:
    body = b"\0" + put_varint(0) + put_varint(delta) + put_varint(-1) + put_varint(len(value)) + value + b"\0"
    return put_varint(len(body)) + body


def test_what_a_fork_adds_is_read_and_not_marked() -> None:
    """A type of AutoMQ, and a tag of Inkless on a partition, which is kept as it is."""
    assert data_record(b"".join(map(put_uvarint, (1, 515, 0))) + b"whatever", []) == ("AUTOMQ_515", 0, {}, False)
    change = {"partitionId": 3, "topicId": "AAAAAAAAAAAAAAAAAAAAZQ", "Inkless 100": "AAAAAAAAACo="}
    assert data_record(data_value("PARTITION_CHANGE_RECORD", 2, change), []) == (
        ("PARTITION_CHANGE_RECORD", 2, change, False)
    )
    removed = data_value("REMOVE_TOPIC_RECORD", 0, {"topicId": "AAAAAAAAAAAAAAAAAAAAZQ"})
    tagged = removed[:-1] + put_uvarint(1) + put_uvarint(100) + put_uvarint(1) + b"x"
    assert data_record(tagged, [])[-1]  # Inkless has no such tag on a topic


def test_a_newer_version_is_read_as_far_as_it_goes() -> None:
    data = {"partitionId": 3, "topicId": "AAAAAAAAAAAAAAAAAAAAZQ", "isr": [1, 2], "leader": 2}
    value = data_value("PARTITION_CHANGE_RECORD", 2, data)
    newer = value[:2] + b"\x09" + value[3:]
    assert data_record(newer, []) == ("PARTITION_CHANGE_RECORD", 9, data, True)
    odd: list[int] = []
    assert data_record(newer + b"\x7f", odd) == ("PARTITION_CHANGE_RECORD", 9, None, True)
    assert odd == []  # nothing of what was not read counts


def test_a_shape_of_an_earlier_release_is_read() -> None:
    """3.0 - 3.2 had two levels in version 0 of FeatureLevel, where 3.3 has one."""
    value = b"".join(map(put_uvarint, (1, 12, 0))) + b"\x05name" + b"\x00\x01\x00\x07" + b"\0"
    assert data_record(value, []) == (
        "FEATURE_LEVEL_RECORD",
        0,
        {"name": "name", "minFeatureLevel": 1, "maxFeatureLevel": 7},
        False,
    )


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\x02\x14\x00\x00",  # a frame of version 2
        b"\x01\x14\x00",  # no tagged section
        b"\x01\x14\x00\x00\x00",  # a byte too many
        b"\x01\x14\x00\x01\x05\x7f",  # a tag that is longer than the record
        b"\x01\x02\x00\x7fab",  # a name that is longer than the record
        b"\x01\x02\x00\x00",  # a name that is null
        b"\x01\x02\x00" + b"\xff" * 9,  # a length without end
    ],
)
def test_what_is_no_record_is_none(value: bytes) -> None:
    with pytest.raises(MalformedError):
        data_record(value, [])


def _log() -> bytes:
    leader = ("LEADER_CHANGE", 0, {"version": 0, "leaderId": 1, "voters": [{"voterId": 1}], "grantingVoters": []})
    first = batch([leader], 0, 1, 1, control=True)
    topic = {"name": "orders", "topicId": "AAAAAAAAAAAAAAAAAAAAZZ"[:21] + "A"}
    return first + b"".join(
        batch([("TOPIC_RECORD", 0, topic), ("NO_OP_RECORD", 0, {})], offset, 1, offset) for offset in range(1, 40, 2)
    )


def test_zeros_that_were_never_written_are_the_end(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(_log() + bytes(5000))
    batches = Batches(str(tmp_path / "x"))
    assert sum(len(each.records) for each in batches) == 41
    assert (batches.zeros, batches.problem) == (5000, None)


def test_a_torn_tail_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(_log()[:-3])
    batches = Batches(str(tmp_path / "x"))
    assert sum(len(each.records) for each in batches) == 39
    assert "cut off" in (batches.problem or "")


def test_what_fails_its_crc_is_not_given(tmp_path: Path) -> None:
    raw = bytearray(_log())
    raw[-5] ^= 1
    (tmp_path / "x").write_bytes(raw)
    batches = Batches(str(tmp_path / "x"))
    assert sum(len(each.records) for each in batches) == 39
    assert "a wrong CRC" in (batches.problem or "")


def broken(whole: bytes, starts: Sequence[int], dice: random.Random) -> bytes:
    """A file with one fault: a flipped bit, a cut, a length that lies, a varint without end, noise."""
    raw = bytearray(whole)
    at = dice.randrange(len(raw))
    kind = dice.choice(["flip", "cut", "length", "varint", "noise"])
    if kind == "flip":
        raw[at] ^= 1 << dice.randrange(8)
    elif kind == "cut":
        del raw[at:]
    elif kind == "length":
        start = dice.choice(starts) + 8
        lie = dice.choice([-1, 0, 1, 49, 60, 2**31 - 1, dice.randrange(5000)])
        raw[start : start + 4] = lie.to_bytes(4, "big", signed=True)
    else:
        raw[at : at + 12] = b"\xff" * 12 if kind == "varint" else dice.randbytes(12)
    return bytes(raw)


@pytest.mark.full
@pytest.mark.parametrize("files", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_broken_files_give_a_note_and_nothing_that_fails_its_crc(tmp_path: Path, files: int) -> None:
    """Records that are returned were written so; if nothing is reported, they are the file from its beginning. (Base
    offsets and epochs are in no CRC; the code that joins the files of a node checks them.)"""
    dice = random.Random(files)
    whole = _log()
    file = tmp_path / "00000000000000000000.log"
    file.write_bytes(whole)
    starts = [each.position for each in Batches(str(file))]
    true = _contents(Batches(str(file)))
    for _ in range(files):
        file.write_bytes(broken(whole, starts, dice))
        batches = Batches(str(file))
        found = _contents(batches)
        if batches.problem is None:
            assert found == true[: len(found)]
        else:
            assert all(each in true for each in found)
            assert batches.problem.startswith("byte ")
            assert "\n" not in batches.problem


def _contents(batches: Batches) -> list[tuple[object, ...]]:
    return [(record.type, record.version, record.data) for each in batches for record in each.records]


@pytest.mark.parametrize("codec", range(1, 5))
def test_what_expands_beyond_belief_is_refused(codec: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_MOST", 1000)
    small = compression.compressed(codec, bytes(900))
    assert compression.expanded(codec, small) == bytes(900)
    with pytest.raises(MalformedError):
        compression.expanded(codec, compression.compressed(codec, bytes(100_000)))
    with pytest.raises(MalformedError):
        compression.expanded(codec, b"no such thing")


def test_files_are_known_by_what_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "__cluster_metadata-0"
    folder.mkdir(parents=True)
    for name in ("00000000000000000000.log", "00000000000000000041-0000000001.checkpoint", "quorum-state"):
        (folder / name).write_bytes(_log() if name != "quorum-state" else b"{}")
    for name in (
        "00000000000000000041.snapshot",
        "00000000000000000000.index",
        "x.checkpoint.part",
        "leader-epoch-checkpoint",
    ):
        (folder / name).write_bytes(b"")
    (tmp_path / "data" / "meta.properties").write_text("version=1\nnode.id=7\n")
    other = tmp_path / "data" / "orders-0"
    other.mkdir()
    (other / "00000000000000000000.log").write_bytes(raw_batch([_record(0, b"hello")], 0, 0))
    assert kinds_in(other) == kinds_in(other / "00000000000000000000.log") == {"00000000000000000000.log": "topic"}
    kinds = {Path(file.path).name: file.kind for file in found_in([str(tmp_path)]) if "orders" not in file.path}
    assert kinds == {
        "00000000000000000000.index": "index",
        "00000000000000000041.snapshot": "index",
        "00000000000000000000.log": "segment",
        "00000000000000000041-0000000001.checkpoint": "snapshot",
        "leader-epoch-checkpoint": "epochs",
        "meta.properties": "properties",
        "quorum-state": "quorum-state",
    }
    assert not [file for file in found_in([str(tmp_path)]) if file.kind == "segment" and "orders" in file.path]
    assert node_of(str(folder)) == "7"
    assert (named("00000000000000000041-0000000001.checkpoint") or named("")).end == (41, 1)  # type: ignore[union-attr]
    (tmp_path / "alone").write_bytes(_log())
    assert is_metadata(str(tmp_path / "alone"))
    assert not is_metadata(str(other / "00000000000000000000.log"))


def kinds_in(path: Path) -> dict[str, str]:
    return {Path(file.path).name: file.kind for file in found_in([str(path)])}


SEGMENT, NEXT = "00000000000000000007.log", "00000000000000000099.log"
LIES = b"\0" * 8 + b"\x7f\xff\xff\xff" + bytes(range(200))
"""Bytes that begin as a batch does, with an impossible length."""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({SEGMENT: "log"}, {SEGMENT: "segment"}),
        ({SEGMENT: LIES}, {SEGMENT: "segment"}),
        ({SEGMENT: "topic"}, {SEGMENT: "topic"}),
        ({SEGMENT: b""}, {SEGMENT: "empty"}),
        ({SEGMENT: bytes(9000)}, {SEGMENT: "empty"}),
        ({SEGMENT: b"[2020-01-01 00:00:00,000] INFO a line (kafka.server)\n" * 9}, {}),
        # What is damaged or empty is what its neighbours are.
        (
            {SEGMENT: "log", NEXT: LIES},
            {SEGMENT: "segment", NEXT: "segment"},
        ),
        (
            {SEGMENT: "log", NEXT: b""},
            {SEGMENT: "segment", NEXT: "segment"},
        ),
        ({SEGMENT: "topic", NEXT: LIES}, {SEGMENT: "topic", NEXT: "topic"}),
        # What Kafka has not finished, or is about to delete.
        (
            {SEGMENT + ".deleted": "log", "00000000000000000041-0000000001.checkpoint.part": "log"},
            {SEGMENT + ".deleted": "leftover", "00000000000000000041-0000000001.checkpoint.part": "leftover"},
        ),
        # The files of several nodes in one folder; text is no segment, whatever its name.
        (
            {"a-" + SEGMENT: "log", "b-" + SEGMENT: "log", "c-" + SEGMENT: b"text", "d-" + SEGMENT: LIES},
            {"a-" + SEGMENT: "segment", "b-" + SEGMENT: "segment"},
        ),
    ],
)
def test_what_a_folder_of_any_name_holds(
    files: dict[str, str | bytes], expected: dict[str, str], tmp_path: Path
) -> None:
    kinds = {"log": _log(), "topic": raw_batch([_record(0, b"hello")], 0, 0)}
    for name, content in files.items():
        (tmp_path / name).write_bytes(kinds[content] if isinstance(content, str) else content)
    assert kinds_in(tmp_path) == expected


def test_a_snapshot_of_another_name_is_none_that_history_begins_with(tmp_path: Path) -> None:
    content = batch([("SNAPSHOT_HEADER", 0, {"version": 0, "lastContainedLogTimestamp": 0})], 0, 3, control=True)
    for name in ("state.bin", "00000000000000000041-0000000003.checkpoint.part"):
        (tmp_path / name).write_bytes(content)
        assert kinds_in(tmp_path / name) == {name: "nameless"}


def test_every_field_of_the_table_is_of_a_version_that_there_is() -> None:
    for kind in types_by_name().values():
        assert all(field.since < len(kind.since) for field in kind.fields)
        tags = [field.tag for field in kind.fields if field.tag is not None and field.type != RAW]
        assert sorted(tags) == list(range(len(tags)))


RECORDED = Path(__file__).parents[3] / "traces" / "recorded-kraft"


@pytest.mark.full(every=8)
@pytest.mark.parametrize("recording", sorted(each.parent.name for each in RECORDED.glob("*/manifest.json")))
def test_records_are_those_of_kafkas_own_dump(recording: str) -> None:
    assert compare_with_dump(RECORDED / recording) > 100


@pytest.mark.full
@pytest.mark.corpus
def test_records_of_the_samples_are_those_of_kafkas_own_dump(tmp_path: Path) -> None:
    """Two recordings that others made."""
    assert sum(compare_with_dump(each) for each in sorted(unpack_samples(SHARED, tmp_path).iterdir())) == 2089
