"""Columns of numbers as text: small enough for 500,000 states of partitions in one page.

A column is 32-bit numbers, stored as differences where they grow, split into their four bytes (equal bytes next to each
other compress better), gzip, base64. page.js reads them.
"""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from .....traces.sources.packing import gzipped

T = TypeVar("T", bound=Hashable)
ABSENT = -(2**31)
"""A stand-in for an absent number."""


class Numbers(Generic[T]):
    """Distinct values, numbered in order of appearance."""

    def __init__(self) -> None:
        self._of: dict[T, int] = {}

    def __call__(self, value: T) -> int:
        return self._of.setdefault(value, len(self._of))

    def values(self) -> list[T]:
        return list(self._of)


def packed(columns: Sequence[Iterable[int]]) -> str:
    """Return columns of one length as text, one after the other."""
    return base64.b64encode(gzipped(b"".join(map(_planes, columns)), 6)).decode("ascii")


def differences(values: Iterable[int]) -> list[int]:
    """Return each number minus the previous one; the first stays itself."""
    found, before = [], 0
    for value in values:
        found.append(value - before)
        before = value
    return found


def _planes(column: Iterable[int]) -> bytes:
    numbers = array("i", column)
    if sys.byteorder == "big":
        numbers.byteswap()
    data = numbers.tobytes()
    return b"".join(data[byte::4] for byte in range(4))
