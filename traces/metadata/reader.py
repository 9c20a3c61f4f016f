"""Messages from bytes: one walk over the table of records (specs/metadata), for all types and versions.

Values are written as Kafka's dump tool prints them: a uuid in URL-safe base64, bytes in base64; a tagged field that is
absent, or has its default, is left out.

A version that is newer than the table's newest is read as the newest, if that takes up all the bytes: since 3.7 a new
version of a Kafka record only adds tagged fields. Such a record is *partial*, and so is one with tags that the table
does not have.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from ...specs.metadata import RAW, Field, RecordType, control_types, fork_types, record_types, types_by_name
from ..limits import NUMBER
from .wire import FORMATS, MalformedError, uvarint

Message = dict[str, Any]
Odd = list[int]
"""Tags that the table does not have, once for each occurrence."""
Parsed = tuple[str, int, "Message | None", bool]
"""A record's type, version and message, and whether it is partial; the message is None if it could not be read."""
_Reader = Callable[[bytes, int, Odd], tuple[Any, int]]
"""Reads a value, or some fields as a new message; returns also the position after it."""
_Filler = Callable[[bytes, int, Odd, Message], int]
"""Reads fields of a struct into its message; returns the position after them."""
NO_OP, NO_OP_RECORD = b"\x01\x14\x00\x00", "NO_OP_RECORD"
"""The value of a NoOp record, and its type, which half of all records have."""
_KEPT, _LONGEST = 16_384, 256
"""Number of beginnings and tagged sections of a type that are cached, and the length in bytes of the longest cached
section."""
FRAME = 1
"""The version of the frame around every data record."""


def data_record(value: bytes, odd: Odd) -> Parsed:
    """Return the content of a data record's value. A record of a fork's type has an empty message.

    Raises:
        MalformedError: these bytes are not a record.
    """
    if value == NO_OP:
        return NO_OP_RECORD, 0, {}, False
    known = _of_prefix(value[:3])
    if known is not None:
        name, version, read = known
        try:
            message, end = read(value, 3, odd)
        except (IndexError, struct.error) as error:
            raise MalformedError("a record that ends too early") from error
        if end != len(value):
            raise MalformedError(f"{len(value) - end} bytes after the end of a {name}")
        return name, version, message, bool(odd)
    try:
        frame, at = uvarint(value, 0)
        if frame != FRAME:
            raise MalformedError(f"a frame of version {frame}, expected {FRAME}")
        key, at = uvarint(value, at)
        version, at = uvarint(value, at)
        kind = record_types().get(key)
        if kind is not None:
            return _parsed(kind, version, value, at, odd)
        if key in fork_types():
            return fork_types()[key].name, version, {}, False
        return f"UNKNOWN({key})", version, None, True
    except (IndexError, struct.error) as error:
        raise MalformedError("a record that ends too early") from error


@lru_cache(maxsize=1024)
def _of_prefix(prefix: bytes) -> tuple[str, int, _Reader] | None:
    """Return the type and version in a frame of three bytes, and their reader if they have one shape; else None."""
    if len(prefix) < 3 or prefix[0] != FRAME or max(prefix) > 0x7F:
        return None
    kind, version = record_types().get(prefix[1]), prefix[2]
    if kind is None or version >= len(kind.since) or kind.older:
        return None
    return kind.name, version, _shapes(kind.name, version)[0]


def control_record(key: bytes, value: bytes, odd: Odd) -> Parsed:
    """Return the content of a control record.

    Raises:
        MalformedError: these bytes are not a control record.
    """
    try:
        _, number = struct.unpack_from(">hh", key)
        kind = control_types().get(number)
        (version,) = struct.unpack_from(">h", value)
        if kind is None or version < 0:
            return f"UNKNOWN_CONTROL({number})" if kind is None else kind.name, version, None, True
        return _parsed(kind, version, value, 0, odd)
    except (IndexError, struct.error) as error:
        raise MalformedError("a control record that ends too early") from error


def _parsed(kind: RecordType, version: int, data: bytes, at: int, odd: Odd) -> Parsed:
    """Return a record of a type that the table has; `odd` is empty."""
    newest = len(kind.since) - 1
    if version <= newest:
        return kind.name, version, _read(kind, version, data, at, odd), bool(odd)
    try:
        return kind.name, version, _read(kind, newest, data, at, odd), True
    except (MalformedError, IndexError, struct.error):
        odd.clear()  # bytes that were taken for tags
        return kind.name, version, None, True


def _read(kind: RecordType, version: int, data: bytes, at: int, odd: Odd) -> Message:
    """Return a message that takes up all the data, in the newest shape that does."""
    if not kind.older:
        message, end = _shapes(kind.name, version)[0](data, at, odd)
        if end != len(data):
            raise MalformedError(f"{len(data) - end} bytes after the end of a {kind.name}")
        return message  # type: ignore[no-any-return]
    wrong: MalformedError | IndexError | struct.error | None = None
    for read in _shapes(kind.name, version):
        tags: Odd = []
        try:
            message, end = read(data, at, tags)
        except (MalformedError, IndexError, struct.error) as error:
            wrong = wrong or error
            continue
        if end == len(data):
            odd.extend(tags)
            return message  # type: ignore[no-any-return]
        wrong = wrong or MalformedError(f"{len(data) - end} bytes after the end of a {kind.name}")
    assert wrong is not None
    raise wrong


@cache
def _shapes(name: str, version: int) -> tuple[_Reader, ...]:
    kind = types_by_name()[name]
    return tuple(_message(fields, version) for fields in (kind.fields, *kind.older))


def _message(fields: tuple[Field, ...], version: int) -> _Reader:
    """Return the reader of a record's message: a struct that nothing follows, so its tagged section is all the rest.

    Many records begin alike, because they are about the same partition or broker, and many have the same section: each
    is read once. Lists in messages are then shared, and must not be changed.
    """
    first, rest, tagged = _parts(fields, version)
    size, begun = first.size, lru_cache(maxsize=_KEPT)(first.read)

    def read_section(section: bytes) -> tuple[Message, int, Odd]:
        found: Message = {}
        odd: Odd = []
        return found, tagged(section, 0, odd, found), odd

    known_section = lru_cache(maxsize=_KEPT)(read_section)

    def read(data: bytes, at: int, odd: Odd) -> tuple[Message, int]:
        end = at + size
        found = begun(data[at:end])
        if rest:
            found = found.copy()
            for fill in rest:
                end = fill(data, end, odd, found)
        section = data[end:]
        more, stop, strange = (known_section if len(section) <= _LONGEST else read_section)(section)
        if strange:
            odd.extend(strange)
        return found | more, end + stop

    return read


def _struct(fields: tuple[Field, ...], version: int) -> _Reader:
    """Return the reader of a struct: its fields in the order of the table, then its tagged section."""
    first, rest, tagged = _parts(fields, version)
    size, begun = first.size, first.read

    def read(data: bytes, at: int, odd: Odd) -> tuple[Message, int]:
        end = at + size
        found = begun(data[at:end])
        for fill in rest:
            end = fill(data, end, odd, found)
        return found, tagged(data, end, odd, found) if data[end] else end + 1

    return read


def _parts(fields: tuple[Field, ...], version: int) -> tuple[_Fixed, list[_Filler], _Filler]:
    """Return the readers of a struct: of its first fields of a fixed size, of the others that are always on the wire,
    and of the tagged ones.

    Adjacent fields of a fixed size are read at once.
    """
    present = [each for each in fields if each.since <= version]
    groups = [(fixed, list(own)) for fixed, own in groupby((f for f in present if f.tag is None), key=_is_fixed)]
    first = _fixed(groups.pop(0)[1] if groups and groups[0][0] else [])
    rest: list[_Filler] = []
    for fixed, own in groups:
        rest += [_filling(_fixed(own))] if fixed else [_filler(each.name, _reader(each, version)) for each in own]
    return first, rest, _tagged(present, version)


def _tagged(fields: list[Field], version: int) -> _Filler:
    known: dict[int, tuple[str, Any, Any]] = {
        each.tag: (each.name, None if each.type == RAW else _reader(each, version), each.default)
        for each in fields
        if each.tag is not None
    }

    def fill(data: bytes, at: int, odd: Odd, found: Message) -> int:
        count, at = uvarint(data, at)
        for _ in range(count):
            tag, at = uvarint(data, at)
            size, at = uvarint(data, at)
            end = at + size
            if end > len(data):
                raise MalformedError("a tagged field that is longer than its record")
            if tag not in known:
                odd.append(tag)
            elif known[tag][1] is None:
                found[known[tag][0]] = base64.b64encode(data[at:end]).decode()
            else:
                name, of, default = known[tag]
                value, stop = of(data, at, odd)
                if stop != end:
                    raise MalformedError(f"a tagged field {name} of {stop - at} bytes that declares {size}")
                if value != default:
                    found[name] = value
            at = end
        return at

    return fill


def _is_fixed(field: Field) -> bool:
    return field.type in FORMATS or field.type == "uuid"


class _Fixed(NamedTuple):
    """Reads adjacent fields of a fixed size from their bytes."""

    size: int
    read: Callable[[bytes], Message]


def _fixed(fields: list[Field]) -> _Fixed:
    form = struct.Struct(">" + "".join("16s" if each.type == "uuid" else FORMATS[each.type] for each in fields))
    names = tuple(each.name for each in fields)
    uuids = tuple(each.name for each in fields if each.type == "uuid")
    longs = tuple(each.name for each in fields if each.type == "int64")

    def read(data: bytes) -> Message:
        found = dict(zip(names, form.unpack(data), strict=True))
        for name in longs:
            if not -NUMBER.most < found[name] < NUMBER.most:
                raise MalformedError(f"{name} {found[name]}")
        for name in uuids:
            found[name] = uuid_text(found[name])
        return found

    return _Fixed(form.size, read)


def _filling(fixed: _Fixed) -> _Filler:
    size, read = fixed

    def fill(data: bytes, at: int, odd: Odd, found: Message) -> int:
        end = at + size
        found.update(read(data[at:end]))
        return end

    return fill


def _filler(name: str, of: _Reader) -> _Filler:
    def fill(data: bytes, at: int, odd: Odd, found: Message) -> int:
        found[name], at = of(data, at, odd)
        return at

    return fill


def _reader(field: Field, version: int) -> _Reader:
    if field.type == "struct":
        return _struct(field.fields, version)
    if field.type == "[]":
        return _array(_struct(field.fields, version), field.nullable)
    if field.type.removeprefix("[]") in FORMATS and field.type.startswith("[]"):
        return _numbers(FORMATS[field.type.removeprefix("[]")], field.nullable)
    if field.type.startswith("[]"):
        return _array(_scalar(field.type.removeprefix("[]"), False), field.nullable)
    return _scalar(field.type, field.nullable)


def _array(of: _Reader, nullable: bool) -> _Reader:
    def read(data: bytes, at: int, odd: Odd) -> tuple[list[Any] | None, int]:
        length, at = _length(data, at, nullable)
        if length is None:
            return None, at
        found = []
        for _ in range(length):
            value, at = of(data, at, odd)
            found.append(value)
        return found, at

    return read


def _numbers(form: str, nullable: bool) -> _Reader:
    """Return the reader of an array of numbers, which are read at once."""
    size = struct.calcsize(f">{form}")
    forms: dict[int, struct.Struct] = {}

    def read(data: bytes, at: int, odd: Odd) -> tuple[list[Any] | None, int]:
        length, at = _length(data, at, nullable)
        if length is None:
            return None, at
        end = at + length * size
        if end > len(data):
            raise MalformedError("a length beyond the end of its record")
        known = forms.get(length)
        if known is None:
            known = forms.setdefault(length, struct.Struct(f">{length}{form}"))
        return list(known.unpack_from(data, at)), end

    return read


def _length(data: bytes, at: int, nullable: bool) -> tuple[int | None, int]:
    """Return a compact length, None for null. No value is shorter than a byte, so a length beyond the data is wrong."""
    length = data[at]
    at += 1
    if length > 0x7F:
        length, at = uvarint(data, at - 1)
    if not length:
        if not nullable:
            raise MalformedError("null where the table has none")
        return None, at
    if length - 1 > len(data) - at:
        raise MalformedError("a length beyond the end of its record")
    return length - 1, at


def _scalar(kind: str, nullable: bool) -> _Reader:
    if kind in FORMATS:
        return _number(FORMATS[kind])
    if kind == "uuid":
        return _uuid
    text = kind == "string"

    def read(data: bytes, at: int, odd: Odd) -> tuple[str | None, int]:
        length, at = _length(data, at, nullable)
        if length is None:
            return None, at
        end = at + length
        raw = data[at:end]
        return raw.decode("utf-8", "replace") if text else base64.b64encode(raw).decode(), end

    return read


def _number(form: str) -> _Reader:
    unpack = struct.Struct(f">{form}")
    size, unpacked = unpack.size, unpack.unpack_from

    def read(data: bytes, at: int, odd: Odd) -> tuple[Any, int]:
        return unpacked(data, at)[0], at + size

    return read


def _uuid(data: bytes, at: int, odd: Odd) -> tuple[str, int]:
    end = at + 16
    if end > len(data):
        raise MalformedError("a uuid beyond the end of its record")
    return uuid_text(data[at:end]), end


@lru_cache(maxsize=65536)
def uuid_text(raw: bytes) -> str:
    """Return a uuid as Kafka prints it: URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def in_table_order(name: str, message: Mapping[str, Any]) -> Message:
    """Return the message of a type with its fields in the order of the table, which the tags on the wire need not
    have."""
    order = [field.name for field in types_by_name()[name].fields] if name in types_by_name() else []
    return {each: message[each] for each in order if each in message} | dict(message)
