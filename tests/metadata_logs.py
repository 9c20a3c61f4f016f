"""Metadata logs for tests: random messages of every type, and Kafka's own dumps of two recordings."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from isrproof.specs.metadata import RAW, Field, RecordType, control_types, record_types
from isrproof.traces.limits import NUMBER
from isrproof.traces.metadata.batches import Batches
from isrproof.traces.metadata.reader import in_table_order, uuid_text
from isrproof.traces.record.kraft.dump import dumped

_INTS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
DATA = tuple(record_types().values())
CONTROL = tuple(control_types().values())


def messages(kinds: Sequence[RecordType] = DATA) -> st.SearchStrategy[tuple[str, int, dict[str, Any]]]:
    """Type, version and data of any record of these types."""
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.integers(0, len(kind.since) - 1).flatmap(
            lambda version: _struct(kind.fields, version, kind in CONTROL).map(lambda data: (kind.name, version, data))
        )
    )


def _struct(fields: Sequence[Field], version: int, control: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    present = [field for field in fields if field.since <= version]
    always = {field.name: _value(field, version) for field in present if field.tag is None}
    if control:
        always["version"] = st.just(version)
    tagged = {
        field.name: _value(field, version).filter(lambda value, default=field.default: value != default)
        for field in present
        if field.tag is not None
    }
    return st.fixed_dictionaries(always, optional=tagged)


def _value(field: Field, version: int) -> st.SearchStrategy[Any]:
    if field.type == "struct":
        return _struct(field.fields, version)
    if field.type == "[]":
        found: st.SearchStrategy[Any] = st.lists(_struct(field.fields, version), max_size=3)
    elif field.type.startswith("[]"):
        found = st.lists(_scalar(field.type.removeprefix("[]")), max_size=4)
    else:
        found = _scalar(field.type)
    return found | st.none() if field.nullable else found


def _scalar(kind: str) -> st.SearchStrategy[Any]:
    if kind in _INTS:
        half = 1 << _INTS[kind] - 1
        return st.integers(max(-half, 1 - NUMBER.most), min(half, NUMBER.most) - 1)
    return {
        "bool": st.booleans(),
        "uint16": st.integers(0, 65535),
        "float64": st.floats(allow_nan=False),
        "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        "bytes": st.binary(max_size=12).map(_base64),
        RAW: st.binary(max_size=12).map(_base64),
        "uuid": st.binary(min_size=16, max_size=16).map(uuid_text),
    }[kind]


def _base64(raw: bytes) -> str:
    import base64

    return base64.b64encode(raw).decode()


def unpack_samples(shared: Path, folder: Path) -> Path:
    """The two recordings of ../shared, unpacked."""
    with tarfile.open(shared / "kafka" / "kraft-samples" / "kraft-samples.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # since 3.11.4
        archive.extractall(folder)
    return folder


def compare_with_dump(recording: Path) -> int:
    """Hold every record of a recording against the dump, to the letter; how many were compared."""
    compared = 0
    for file, rows in dumped(recording):
        batches = Batches(str(file))
        found = [record for each in batches for record in each.records]
        assert batches.problem is None
        kept = [(record.offset, record.epoch, record.timestamp) for record in found]
        assert kept == [(row.offset, row.epoch, row.time) for row in rows]
        for record, row in zip(found, rows, strict=True):
            assert record.data is not None
            text = row.text
            data = in_table_order(record.type, record.data)
            if text.startswith("payload: "):
                assert as_dumped(record.type, record.version, data) == text
            elif "{" in text:
                assert data == json.loads(text[text.index("{") :])
            else:
                assert text.startswith(f"controlType: {record.type}(")
            compared += 1
    return compared


def as_dumped(kind: str, version: int, data: Mapping[str, Any]) -> str:
    """A data record as the dump tool prints it, to the letter."""
    shown = json.dumps({"type": kind, "version": version, "data": data}, separators=(",", ":"), ensure_ascii=False)
    return f"payload: {shown}"
