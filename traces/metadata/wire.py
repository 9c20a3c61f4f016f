"""Values on the wire: Kafka's variable-length numbers, and the error for impossible bytes.

Source: org.apache.kafka.common.utils.ByteUtils, org.apache.kafka.common.protocol.types.
"""

from __future__ import annotations

FORMATS = {"bool": "?", "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "int64": "q", "float64": "d"}
"""Types of the table of records that have a fixed size, as `struct` names them; all are big-endian."""
SIGNED = tuple((value >> 1) ^ -(value & 1) for value in range(0x80))
"""Values of zigzag varints of one byte, which nearly all are."""
_INT, _LONG = 28, 63
"""Largest shifts of the bytes of an int and of a long."""


class MalformedError(Exception):
    """The bytes are not such a message; the text says why. The reader of a file adds the place."""


def uvarint(data: bytes, at: int, last: int = _INT) -> tuple[int, int]:
    """Return an unsigned varint, and the position after it.

    Raises:
        MalformedError: it has more bytes than its number can have.
        IndexError: the data ends within it.
    """
    byte = data[at]
    value, shift = byte & 0x7F, 0
    while byte > 0x7F:
        at += 1
        shift += 7
        if shift > last:
            raise MalformedError("a varint that does not end")
        byte = data[at]
        value |= (byte & 0x7F) << shift
    return value, at + 1


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a zigzag varint of 32 bits, and the position after it; raises as `uvarint` does."""
    value = data[at]
    if value < 0x80:
        return SIGNED[value], at + 1
    value, at = uvarint(data, at)
    return (value >> 1) ^ -(value & 1), at


def varlong(data: bytes, at: int) -> tuple[int, int]:
    """Return a zigzag varint of 64 bits, and the position after it; raises as `uvarint` does."""
    value = data[at]
    if value < 0x80:
        return SIGNED[value], at + 1
    value, at = uvarint(data, at, _LONG)
    return (value >> 1) ^ -(value & 1), at


def put_uvarint(value: int) -> bytes:
    """Return the bytes that `uvarint` reads."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def put_varint(value: int) -> bytes:
    """Return the bytes that `varint` and `varlong` read."""
    return put_uvarint(value << 1 if value >= 0 else (-value << 1) - 1)
