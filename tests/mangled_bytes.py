"""Damage to bytes, at random but the same on every run: what happens to files on their way."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

HOSTILE = (
    *(b"\0", b"\0" * 50, b"\x1b[31m", b"\x1b", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\x01", b"\x02", b"\r"),
    *(b"\x85", b"9" * 19, b"9" * 40, b"-", b",", b", ", b"(", b")", b"[", b"] ", b" (", b" ", b"\t", b"List("),
)  # fmt: skip
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp500", "utf-7")


def flipped(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A few bits are others."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Something is missing: at the beginning, at the end, or within."""
    first, last = _two(chance, data)
    return chance.choice((data[:first], data[last:], data[:first] + data[last:]))


def spliced(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning of one and the end of another."""
    return data[: chance.randrange(len(data))] + other[chance.randrange(len(other)) :]


def repeated(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A part is there several times."""
    first, last = _two(chance, data)
    return data[:first] + data[first:last] * chance.choice((2, 3, 50)) + data[last:]


def swapped(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Two parts in each other's place."""
    first, last = _two(chance, data)
    return data[last:] + data[first:last] + data[:first]


def inserted(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Something is there that should not be."""
    at = chance.randrange(len(data))
    return data[:at] + chance.choice(HOSTILE) + data[at + chance.randrange(3) :]


def recoded(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """Written in another encoding."""
    return data.decode("utf-8", "replace").encode(chance.choice(ENCODINGS), "replace")


WAYS: Mapping[str, Callable[[random.Random, bytes, bytes], bytes]] = {
    way.__name__: way for way in (flipped, cut, spliced, repeated, swapped, inserted, recoded)
}


def mangled(chance: random.Random, pool: Sequence[bytes], most: int = 3) -> bytes:
    """One of the pool, damaged in one to `most` ways."""
    data = chance.choice(pool)
    for _ in range(chance.randrange(1, most + 1)):
        if data:
            data = chance.choice([*WAYS.values()])(chance, data, chance.choice(pool))
    return data


def _two(chance: random.Random, data: bytes) -> tuple[int, int]:
    first, last = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
    return first, last
