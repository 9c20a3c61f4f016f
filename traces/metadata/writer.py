"""Metadata logs from messages: the inverse of reader.py and batches.py, for cases, planted faults and tests."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Mapping
from typing import Any

from ...specs.metadata import RAW, Field, RecordType, control_types, record_types
from .batches import HEADER
from .compression import compressed
from .reader import FRAME
from .wire import FORMATS, put_uvarint, put_varint

Message = tuple[str, int, Mapping[str, Any]]
"""Type, version and data, as `isrproof records` prints them."""
UNASSIGNED = 32767
"""A key that no type of records has."""
NOT_SHOWN = -1
"""The version of a control record whose data is not known."""


def data_value(kind: str, version: int, data: Mapping[str, Any]) -> bytes:
    """Return the value of a data record. One that the table lacks gets a key that no type has."""
    found = next((each for each in record_types().values() if each.name == kind), None)
    if found is None or not _fits(found, data):
        return b"".join(map(put_uvarint, (FRAME, UNASSIGNED, 0)))
    frame = b"".join(map(put_uvarint, (FRAME, found.key, version)))
    return frame + _struct(found.fields, version, data)


def control_key_and_value(kind: str, version: int, data: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Return the key and the value of a control record. One that the table lacks gets a key that none has, one whose
    data is not known the version `NOT_SHOWN`."""
    found = next((each for each in control_types().values() if each.name == kind), None)
    if found is None or not _fits(found, data):
        return struct.pack(">hh", 0, UNASSIGNED if found is None else found.key), struct.pack(">h", NOT_SHOWN)
    return struct.pack(">hh", 0, found.key), _struct(found.fields, version, data)


def _fits(kind: RecordType, data: Mapping[str, Any]) -> bool:
    """Return True if data has only fields of a type, and those that every record of the type has."""
    plain = {field.name for field in kind.fields if field.since == 0 and field.tag is None}
    return plain <= set(data) <= {field.name for field in kind.fields}


def batch(
    messages: Iterable[Message], offset: int, epoch: int, timestamp: int = 0, *, control: bool = False, codec: int = 0
) -> bytes:
    """Return the bytes of a batch whose first record has this offset; all records have one timestamp (milliseconds)."""
    records = []
    for delta, (kind, version, data) in enumerate(messages):
        key, value = control_key_and_value(kind, version, data) if control else (None, data_value(kind, version, data))
        records.append(_record(delta, key, value))
    return raw_batch(records, offset, epoch, timestamp, control=control, codec=codec)


def raw_batch(
    records: list[bytes], offset: int, epoch: int, timestamp: int = 0, *, control: bool = False, codec: int = 0
) -> bytes:
    """Return a batch of records that are encoded already."""
    import google_crc32c

    last, body = len(records) - 1, compressed(codec, b"".join(records))
    attributes = codec | 0x20 * control
    length = HEADER.size - 12 + len(body)
    head = [offset, length, epoch, 2, 0, attributes, last, timestamp, timestamp, -1, -1, -1, len(records)]
    head[4] = google_crc32c.value(HEADER.pack(*head)[21:] + body)
    return HEADER.pack(*head) + body


def _record(delta: int, key: bytes | None, value: bytes) -> bytes:
    body = b"\0" + put_varint(0) + put_varint(delta) + _sized(key) + _sized(value) + b"\0"
    return put_varint(len(body)) + body


def _sized(raw: bytes | None) -> bytes:
    return put_varint(-1) if raw is None else put_varint(len(raw)) + raw


def _struct(fields: tuple[Field, ...], version: int, data: Mapping[str, Any]) -> bytes:
    present = [each for each in fields if each.since <= version]
    plain = b"".join(_value(each, version, data[each.name]) for each in present if each.tag is None)
    tagged = sorted((each.tag, each) for each in present if each.tag is not None and each.name in data)
    found = plain + put_uvarint(len(tagged))
    for tag, each in tagged:
        value = base64.b64decode(data[each.name]) if each.type == RAW else _value(each, version, data[each.name])
        found += put_uvarint(tag) + put_uvarint(len(value)) + value
    return found


def _value(field: Field, version: int, value: Any) -> bytes:
    if field.type == "struct":
        return _struct(field.fields, version, value)
    if not field.type.startswith("[]"):
        return _scalar(field.type, value)
    if value is None:
        return put_uvarint(0)
    of = field.type.removeprefix("[]")
    parts = [_scalar(of, each) if of else _struct(field.fields, version, each) for each in value]
    return put_uvarint(len(parts) + 1) + b"".join(parts)


def _scalar(kind: str, value: Any) -> bytes:
    if kind in FORMATS:
        return struct.pack(f">{FORMATS[kind]}", value)
    if kind == "uuid":
        return base64.urlsafe_b64decode(value + "==")
    if value is None:
        return put_uvarint(0)
    raw = value.encode() if kind == "string" else base64.b64decode(value)
    return put_uvarint(len(raw) + 1) + raw
