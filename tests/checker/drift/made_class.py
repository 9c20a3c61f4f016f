"""Class files made without a compiler: constants, fields, methods of given bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Maker:
    """A class file in the making. Each method that adds a constant gives its place."""

    name: str
    parent: str = "java/lang/Object"
    interfaces: Sequence[str] = ()
    pool: list[bytes] = field(default_factory=list)
    fields: list[bytes] = field(default_factory=list)
    methods: list[bytes] = field(default_factory=list)
    bootstraps: list[bytes] = field(default_factory=list)

    def constant(self, data: bytes) -> int:
        if data not in self.pool:
            self.pool.append(data)
        return self.pool.index(data) + 1

    def utf(self, text: str) -> int:
        return self.constant(b"\x01" + struct.pack(">H", len(text.encode())) + text.encode())

    def of_class(self, name: str) -> int:
        return self.constant(b"\x07" + struct.pack(">H", self.utf(name)))

    def text(self, text: str) -> int:
        return self.constant(b"\x08" + struct.pack(">H", self.utf(text)))

    def member(self, tag: int, owner: str, name: str, kind: str = "()V") -> int:
        pair = self.constant(b"\x0c" + struct.pack(">HH", self.utf(name), self.utf(kind)))
        return self.constant(bytes([tag]) + struct.pack(">HH", self.of_class(owner), pair))

    def field(self, name: str, kind: str, value: int | str | None = None) -> Maker:
        attributes = b"\0\0"
        if value is not None:
            place = self.text(value) if isinstance(value, str) else self.constant(b"\x03" + struct.pack(">i", value))
            attributes = struct.pack(">HHIH", 1, self.utf("ConstantValue"), 2, place)
        self.fields.append(struct.pack(">HHH", 8, self.utf(name), self.utf(kind)) + attributes)
        return self

    def method(self, name: str, code: bytes) -> Maker:
        body = struct.pack(">HHI", 9, 9, len(code)) + code + b"\0\0\0\0"
        head = struct.pack(">HHHH", 1, self.utf(name), self.utf("()V"), 1)
        self.methods.append(head + struct.pack(">HI", self.utf("Code"), len(body)) + body)
        return self

    def joined(self, recipe: str) -> bytes:
        """The instruction that joins texts by a recipe."""
        handle = self.member(10, "java/lang/invoke/StringConcatFactory", "makeConcatWithConstants")
        place = self.constant(b"\x0f\x06" + struct.pack(">H", handle))
        self.bootstraps.append(struct.pack(">HHH", place, 1, self.text(recipe)))
        pair = self.constant(b"\x0c" + struct.pack(">HH", self.utf("make"), self.utf("()V")))
        dynamic = self.constant(b"\x12" + struct.pack(">HH", len(self.bootstraps) - 1, pair))
        return b"\xba" + struct.pack(">HH", dynamic, 0)

    def push(self, text: str) -> bytes:
        return b"\x13" + struct.pack(">H", self.text(text))

    def small(self, number: int) -> bytes:
        return b"\x10" + struct.pack(">b", number)

    def call(self, owner: str, name: str) -> bytes:
        return b"\xb6" + struct.pack(">H", self.member(10, owner, name))

    def new(self, name: str) -> bytes:
        return b"\xbb" + struct.pack(">H", self.of_class(name))

    def put(self, owner: str, name: str) -> bytes:
        return b"\xb3" + struct.pack(">H", self.member(9, owner, name, "I"))

    def get(self, owner: str, name: str) -> bytes:
        return b"\xb2" + struct.pack(">H", self.member(9, owner, name, "I"))

    def made(self) -> bytes:
        """The bytes of the class."""
        own, parent = self.of_class(self.name), self.of_class(self.parent)
        above = b"".join(struct.pack(">H", self.of_class(name)) for name in self.interfaces)
        attributes = b"\0\0"
        if self.bootstraps:
            table = struct.pack(">H", len(self.bootstraps)) + b"".join(self.bootstraps)
            attributes = struct.pack(">HHI", 1, self.utf("BootstrapMethods"), len(table)) + table
        pool = struct.pack(">H", len(self.pool) + 1) + b"".join(self.pool)
        head = struct.pack(">HHHH", 0x21, own, parent, len(self.interfaces)) + above
        fields = struct.pack(">H", len(self.fields)) + b"".join(self.fields)
        methods = struct.pack(">H", len(self.methods)) + b"".join(self.methods)
        return b"\xca\xfe\xba\xbe\0\0\0\x3d" + pool + head + fields + methods + attributes
