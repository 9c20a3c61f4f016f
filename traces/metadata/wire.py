"""Values on the wire: Kafka's variable-length numbers, and what bytes say that cannot be.

Source: org.apache.kafka.common.utils.ByteUtils, org.apache.kafka.common.protocol.types.
"""

from __future__ import annotations

FORMATS = {"bool": "?", "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "int64": "q", "float64": "d"}
"""Types of the table of records that have a fixed size, as `struct` names them; all are big-endian."""
SIGNED = tuple((value >> 1) ^ -(value & 1) for value in range(0x80))
"""What zigzag varints of one byte mean, as nearly all are."""
_INT, _LONG = 28, 63
"""The largest shifts of the bytes of an int and of a long."""


class MalformedError(Exception):
    """These bytes are no such message: the text says why. Whoever reads a file tells its user where."""


def uvarint(data: bytes, at: int, last: int = _INT) -> tuple[int, int]:
    """An unsigned varint, and where it ends.

    Raises:
        MalformedError: it has more bytes than its number can have.
        IndexError: the data ends before.
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
    """A zigzag varint of 32 bits, and where it ends; raises as `uvarint`."""
    value = data[at]
    if value < 0x80:
        return SIGNED[value], at + 1
    value, at = uvarint(data, at)
    return (value >> 1) ^ -(value & 1), at


def varlong(data: bytes, at: int) -> tuple[int, int]:
    """A zigzag varint of 64 bits, and where it ends; raises as `uvarint`."""
    value = data[at]
    if value < 0x80:
        return SIGNED[value], at + 1
    value, at = uvarint(data, at, _LONG)
    return (value >> 1) ^ -(value & 1), at


def put_uvarint(value: int) -> bytes:
    """The bytes that `uvarint` reads."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def put_varint(value: int) -> bytes:
    """The bytes that `varint` and `varlong` read."""
    return put_uvarint(value << 1 if value >= 0 else (-value << 1) - 1)
