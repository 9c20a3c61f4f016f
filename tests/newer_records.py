"""Metadata logs as a later release or a fork may write them: newer versions, unknown types and tags; CRCs are right."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

import google_crc32c
from isrproof.specs.metadata import record_types
from isrproof.traces.metadata.batches import HEADER
from isrproof.traces.metadata.reader import data_record
from isrproof.traces.metadata.wire import put_uvarint, put_varint, uvarint, varint
from isrproof.traces.metadata.writer import data_value

from tests.metadata_damage import positions

Change = Callable[[bytes], bytes]
"""Makes another value of a data record's value."""
_RAISED, _TYPE, _TAG = 20, 99, 90
_CONTROL = 0x20


def newer_version(value: bytes) -> bytes:
    """Return the record as a newer version that adds nothing which this record has."""
    key, version, rest = _framed(value)
    return put_uvarint(1) + put_uvarint(key) + put_uvarint(version + _RAISED) + rest


def unknown_tag(value: bytes) -> bytes:
    """Return the record with one more tagged field."""
    return _with_tag(value, put_uvarint(_TAG) + put_uvarint(3) + b"new")


def fork_tag(value: bytes) -> bytes:
    """Return the record with the first tag of Inkless, which it writes on partitions only."""
    return _with_tag(value, put_uvarint(100) + put_uvarint(8) + bytes(8))


def newer_version_with_tag(value: bytes) -> bytes:
    """Return the record as a newer version with a tagged field."""
    return newer_version(unknown_tag(value))


def newer_version_with_field(value: bytes) -> bytes:
    """Return the record as a newer version with a field that is always there, before its tagged section."""
    key, version, rest = _framed(value)
    plain = len(_plain(value)) - (len(value) - len(rest))
    return (
        put_uvarint(1) + put_uvarint(key) + put_uvarint(version + _RAISED) + rest[:plain] + b"\x05more" + rest[plain:]
    )


def unknown_type(value: bytes) -> bytes:
    """Return a record of a type that nobody knows, with the same bytes."""
    _, version, rest = _framed(value)
    return put_uvarint(1) + put_uvarint(_TYPE) + put_uvarint(version) + rest


def type_of_a_fork(value: bytes) -> bytes:
    """Return a record of one of AutoMQ's types, with the same bytes."""
    _, version, rest = _framed(value)
    return put_uvarint(1) + put_uvarint(501) + put_uvarint(version) + rest


WAYS: Mapping[str, Change] = {
    each.__name__: each
    for each in (newer_version, unknown_tag, newer_version_with_tag, newer_version_with_field, unknown_type)
}
"""Changes that a later release of Kafka may make to a record."""


def rewritten(raw: bytes, chosen: Callable[[int], bool], change: Change) -> bytes:
    """Return a segment or a snapshot in which the data records at the chosen offsets are changed."""
    out = [_rewritten(raw[at:], chosen, change) for at in positions(raw)]
    end = positions(raw)[-1] if positions(raw) else 0
    rest = raw[end + 12 + struct.unpack_from(">i", raw, end + 8)[0] :] if out else raw
    return b"".join(out) + rest


def offsets(raw: bytes) -> list[tuple[int, str]]:
    """Return the offset and the type of each data record of a file."""
    found: list[tuple[int, str]] = []

    def seen(offset: int, value: bytes) -> bytes:
        found.append((offset, data_record(value, [])[0]))
        return value

    for at in positions(raw):
        _walked(raw[at:], seen)
    return found


def _rewritten(raw: bytes, chosen: Callable[[int], bool], change: Change) -> bytes:
    return _walked(raw, lambda offset, value: change(value) if chosen(offset) else value)


def _walked(raw: bytes, of: Callable[[int, bytes], bytes]) -> bytes:
    """A batch with other values of its data records."""
    size = 12 + struct.unpack_from(">i", raw, 8)[0]
    base, (attributes,) = struct.unpack_from(">q", raw)[0], struct.unpack_from(">h", raw, 21)
    if attributes & _CONTROL:
        return raw[:size]
    at, body = HEADER.size, b""
    while at < size:
        length, at = varint(raw, at)
        end, begins = at + length, at
        _, at = varint(raw, at + 1)
        delta, at = varint(raw, at)
        key_size, at = varint(raw, at)
        at += max(key_size, 0)
        value_size, value_at = varint(raw, at)
        value = of(base + delta, raw[value_at : value_at + value_size])
        record = raw[begins:at] + put_varint(len(value)) + value + raw[value_at + value_size : end]
        body += put_varint(len(record)) + record
        at = end
    head = bytearray(raw[: HEADER.size])
    struct.pack_into(">i", head, 8, HEADER.size - 12 + len(body))
    struct.pack_into(">I", head, 17, google_crc32c.value(bytes(head[21:]) + body))
    return bytes(head) + body


def _framed(value: bytes) -> tuple[int, int, bytes]:
    _, at = uvarint(value, 0)
    key, at = uvarint(value, at)
    version, at = uvarint(value, at)
    return key, version, value[at:]


def _plain(value: bytes) -> bytes:
    """A value without its tagged section."""
    name, version, data, _ = data_record(value, [])
    kind = next(each for each in record_types().values() if each.name == name)
    always = {each.name for each in kind.fields if each.tag is None}
    return data_value(name, version, {k: v for k, v in (data or {}).items() if k in always})[:-1]


def _with_tag(value: bytes, tag: bytes) -> bytes:
    plain = _plain(value)
    count, at = uvarint(value, len(plain))
    return plain + put_uvarint(count + 1) + value[at:] + tag
