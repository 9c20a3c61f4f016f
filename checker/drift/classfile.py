"""A parser of class files: constants, fields, and methods instruction by instruction, in the order of the file.

Source: The Java Virtual Machine Specification, chapters 4 and 6. Nothing is executed: branches are not followed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


class NoClassFileError(ValueError):
    """The bytes are not a class file, or a truncated one."""


INT, TEXT, CALL, NEW, GET, PUT, JOIN = "int", "text", "call", "new", "get", "put", "join"


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: a pushed constant, a call, a new object, a field that is read or set, texts joined."""

    kind: str
    value: int | str
    """The constant; the name of a called method; the name of a field; the class for NEW; the recipe for JOIN."""
    owner: str = ""
    """The class of the called method or the field, as a.b.C."""


@dataclass(frozen=True)
class ClassFile:
    """A class as its file defines it."""

    name: str
    """The name as loggers print it: a.b.Outer$Inner."""
    parent: str
    interfaces: tuple[str, ...]
    fields: Mapping[str, str]
    """Types of fields by their names, as descriptors."""
    constants: Mapping[str, int | str]
    """Values of constant fields."""
    methods: tuple[tuple[str, tuple[Instruction, ...]], ...]
    """Names of methods, in the order of the file, with their instructions."""


_SIZES = {3: 4, 4: 4, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_WIDE = {5: 8, 6: 8}
"""Sizes of constants by their tag; those of `_WIDE` take two places."""

# Sizes of instructions with their operands in bytes; all others have one byte.
_LENGTHS = {
    **dict.fromkeys((16, 18, 188, *range(21, 26), *range(54, 59), 169), 2),
    **dict.fromkeys((17, 19, 20, 132, *range(153, 169), *range(178, 185), 187, 189, 192, 193, 198, 199), 3),
    197: 4,
    **dict.fromkeys((185, 186, 200, 201), 5),
}
_TABLESWITCH, _LOOKUPSWITCH, _WIDE_INDEX, _IINC = 170, 171, 196, 132


class _Bytes:
    """A cursor over the bytes of a file."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + size]
        if len(piece) != size:
            raise NoClassFileError("it is truncated")
        self.at += size
        return piece

    def u1(self) -> int:
        return self.take(1)[0]

    def u2(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def u4(self) -> int:
        return int.from_bytes(self.take(4), "big")


class _Pool:
    """The constants of a class by their places."""

    def __init__(self, file: _Bytes) -> None:
        self.raw: dict[int, tuple[int, bytes]] = {}
        count, at = file.u2(), 1
        while at < count:
            tag = file.u1()
            if tag == 1:
                self.raw[at] = (tag, file.take(file.u2()))
            elif tag in _SIZES or tag in _WIDE:
                self.raw[at] = (tag, file.take(_SIZES.get(tag) or _WIDE[tag]))
            else:
                raise NoClassFileError(f"it has a constant of unknown kind {tag}")
            at += 2 if tag in _WIDE else 1

    def get(self, at: int, *tags: int) -> bytes:
        tag, data = self.raw.get(at, (0, b""))
        if tag not in tags:
            raise NoClassFileError(f"its constant {at} has the wrong kind")
        return data

    def text(self, at: int) -> str:
        return self.get(at, 1).decode("utf-8", "replace")

    def name(self, at: int) -> str:
        """Return the class that a constant names."""
        return self.text(_pair(self.get(at, 7))).replace("/", ".")

    def member(self, at: int) -> tuple[str, str]:
        """Return the class and the name of a field or method."""
        data = self.get(at, 9, 10, 11)
        return self.name(_pair(data)), self.text(_pair(self.get(_pair(data, 2), 12)))

    def value(self, at: int) -> Instruction | None:
        """Return the number or text that a constant pushes."""
        tag, data = self.raw.get(at, (0, b""))
        if tag == 3:
            return Instruction(INT, int.from_bytes(data, "big", signed=True))
        return Instruction(TEXT, self.text(_pair(data))) if tag == 8 else None


def _pair(data: bytes, at: int = 0) -> int:
    return int.from_bytes(data[at : at + 2], "big")


def class_file(data: bytes) -> ClassFile:
    """Parse a class from its bytes.

    Raises:
        NoClassFileError: they are not a class file.
    """
    file = _Bytes(data)
    if file.take(4) != b"\xca\xfe\xba\xbe":
        raise NoClassFileError("it does not begin with the magic number of class files")
    file.take(4)
    pool = _Pool(file)
    file.u2()
    name, above = pool.name(file.u2()), file.u2()
    parent = pool.name(above) if above else ""
    interfaces = tuple(pool.name(file.u2()) for _ in range(file.u2()))
    fields, constants = _fields(file, pool)
    codes = list(_codes(file, pool))
    recipes = _recipes(dict(_attributes(file, pool)).get("BootstrapMethods", b""), pool)
    methods = tuple((method, tuple(_steps(code, pool, recipes))) for method, code in codes)
    return ClassFile(name, parent, interfaces, fields, constants, methods)


def _attributes(file: _Bytes, pool: _Pool) -> Iterator[tuple[str, bytes]]:
    for _ in range(file.u2()):
        name = pool.text(file.u2())
        yield name, file.take(file.u4())


def _fields(file: _Bytes, pool: _Pool) -> tuple[dict[str, str], dict[str, int | str]]:
    fields, constants = {}, {}
    for _ in range(file.u2()):
        file.u2()
        name, kind = pool.text(file.u2()), pool.text(file.u2())
        fields[name] = kind
        given = dict(_attributes(file, pool)).get("ConstantValue")
        value = pool.value(_pair(given)) if given else None
        if value:
            constants[name] = value.value
    return fields, constants


def _codes(file: _Bytes, pool: _Pool) -> Iterator[tuple[str, bytes]]:
    """Yield the names of methods and their instructions."""
    for _ in range(file.u2()):
        file.u2()
        name = pool.text(file.u2())
        file.u2()
        code = dict(_attributes(file, pool)).get("Code")
        if code:
            body = _Bytes(code, 4)
            yield name, body.take(body.u4())


def _recipes(data: bytes, pool: _Pool) -> list[str | None]:
    r"""Return the recipe that each bootstrap method joins, \x01 for a value; None where it joins no texts."""
    if not data:
        return []
    file, recipes = _Bytes(data), []
    for _ in range(file.u2()):
        handle = pool.get(file.u2(), 15)
        arguments = [file.u2() for _ in range(file.u2())]
        joins = pool.member(_pair(handle, 1))[1] == "makeConcatWithConstants"
        step = pool.value(arguments[0]) if joins and arguments else None
        recipes.append(str(step.value) if step else None)
    return recipes


def _steps(code: bytes, pool: _Pool, recipes: list[str | None]) -> Iterator[Instruction]:
    at = 0
    while at < len(code):
        opcode, length = code[at], _length(code, at)
        if at + length > len(code):
            raise NoClassFileError("a method ends within an instruction")
        step = _step(opcode, code[at + 1 : at + length], pool, recipes)
        if step:
            yield step
        at += length


def _length(code: bytes, at: int) -> int:
    opcode = code[at]
    if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
        padded = (at + 4) & ~3
        try:
            if opcode == _LOOKUPSWITCH:
                (pairs,) = struct.unpack_from(">i", code, padded + 4)
                size = 8 + 8 * pairs
            else:
                low, high = struct.unpack_from(">ii", code, padded + 4)
                size = 12 + 4 * (high - low + 1)
        except struct.error as error:
            raise NoClassFileError("a method ends within an instruction") from error
        if size < 8:
            raise NoClassFileError("a switch has a negative number of cases")
        return padded + int(size) - at
    if opcode == _WIDE_INDEX:
        return 6 if code[at + 1 : at + 2] == bytes([_IINC]) else 4
    return _LENGTHS.get(opcode, 1)


def _step(opcode: int, operands: bytes, pool: _Pool, recipes: list[str | None]) -> Instruction | None:
    if 2 <= opcode <= 8:  # iconst_m1 .. iconst_5
        return Instruction(INT, opcode - 3)
    if opcode in (16, 17):  # bipush, sipush
        return Instruction(INT, int.from_bytes(operands, "big", signed=True))
    if opcode in (18, 19):  # ldc, ldc_w
        return pool.value(int.from_bytes(operands, "big"))
    if 178 <= opcode <= 181:  # getstatic, putstatic, getfield, putfield
        owner, name = pool.member(_pair(operands))
        return Instruction(GET if opcode in (178, 180) else PUT, name, owner)
    if 182 <= opcode <= 185:  # the calls
        owner, name = pool.member(_pair(operands))
        return Instruction(CALL, name, owner)
    if opcode == 186:  # invokedynamic
        place = _pair(pool.get(_pair(operands), 18))
        recipe = recipes[place] if place < len(recipes) else None
        return Instruction(JOIN, recipe) if recipe is not None else None
    return Instruction(NEW, pool.name(_pair(operands))) if opcode == 187 else None
