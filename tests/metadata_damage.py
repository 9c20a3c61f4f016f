"""Damage to segments and snapshots of metadata logs, at random but the same on every run; the sound parts of a file are
found without the reader that is tested."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping

import google_crc32c
from isrproof.traces.metadata.batches import HEADER

_CHECKED_FROM = 21
ENDLESS = b"\xff" * 12
"""A varint that does not end."""


def flipped(dice: random.Random, raw: bytes) -> bytes:
    """A bit is another."""
    at = dice.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << dice.randrange(8)]) + raw[at + 1 :]


def cut(dice: random.Random, raw: bytes) -> bytes:
    """The end is missing."""
    return raw[: dice.randrange(len(raw))]


def without_middle(dice: random.Random, raw: bytes) -> bytes:
    """Some bytes in the middle are missing."""
    at = dice.randrange(len(raw))
    return raw[:at] + raw[at + dice.randrange(1, 200) :]


def lying_length(dice: random.Random, raw: bytes) -> bytes:
    """The length of a batch is another."""
    at = dice.choice(positions(raw))
    lies = (-1, 0, 1, 48, 49, 1 << 20, (1 << 31) - 1)
    length = dice.choice((dice.randbytes(4), struct.pack(">i", dice.choice(lies))))
    return raw[: at + 8] + length + raw[at + 12 :]


def endless_varint(dice: random.Random, raw: bytes) -> bytes:
    """A varint without an end, somewhere."""
    return _over(dice, raw, ENDLESS)


def noise(dice: random.Random, raw: bytes) -> bytes:
    """Some bytes are others."""
    return _over(dice, raw, dice.randbytes(12))


def again(dice: random.Random, raw: bytes) -> bytes:
    """Its beginning comes again at its end."""
    return raw + raw[: dice.randrange(len(raw))]


WAYS: Mapping[str, Callable[[random.Random, bytes], bytes]] = {
    each.__name__: each for each in (flipped, cut, without_middle, lying_length, endless_varint, noise, again)
}


def forged(dice: random.Random, raw: bytes) -> bytes:
    """The content of one batch is damaged, and its length and CRC are made right again: it is its records that lie."""
    at = dice.choice(positions(raw))
    size = 12 + struct.unpack_from(">i", raw, at + 8)[0]
    head, body = bytearray(raw[at : at + HEADER.size]), raw[at + HEADER.size : at + size]
    if dice.random() < 0.1:
        head[57:61] = dice.choice((b"\0\0\0\0", b"\x7f\xff\xff\xff", dice.randbytes(4)))  # how many records
        head[23 : 26 + 1] = struct.pack(">i", struct.unpack_from(">i", head, 57)[0] - 1)
    if dice.random() < 0.1:
        head[22] = head[22] & ~0x27 | dice.choice((1, 2, 3, 4, 5, 7, 0x20))  # compressed, or control records
    if body and dice.random() < 0.9:
        body = dice.choice((flipped, cut, without_middle, endless_varint, noise, again))(dice, body)
    struct.pack_into(">i", head, 8, HEADER.size - 12 + len(body))
    struct.pack_into(">I", head, 17, google_crc32c.value(bytes(head[_CHECKED_FROM:]) + body))
    return raw[:at] + bytes(head) + body + raw[at + size :]


def positions(raw: bytes) -> list[int]:
    """Return the positions of the batches of a sound file."""
    found, at = [], 0
    while at + HEADER.size <= len(raw) and (length := struct.unpack_from(">i", raw, at + 8)[0]) > 0:
        found.append(at)
        at += 12 + length
    return found


def shows_nothing(raw: bytes) -> bool:
    """Return True if a file has nothing to report: sound batches, though some may be gone, and zeros, as Kafka
    allocates."""
    return not any(raw[_walked(raw)[1] :]) and _walked(raw)[2]


def checked(raw: bytes) -> set[bytes]:
    """Return the bytes that the correct CRCs of a file's batches cover, as far as lengths lead from one to the next."""
    return _walked(raw)[0]


def _walked(raw: bytes) -> tuple[set[bytes], int, bool]:
    """Return the bytes that correct CRCs cover where lengths lead no further, and whether all CRCs up to there are
    correct."""
    found, at, sound = set(), 0, True
    while at + HEADER.size <= len(raw):
        length, crc = struct.unpack_from(">i", raw, at + 8)[0], struct.unpack_from(">I", raw, at + 17)[0]
        content = raw[at + _CHECKED_FROM : at + 12 + length]
        if length < HEADER.size - 12 or at + 12 + length > len(raw):
            break
        if google_crc32c.value(content) == crc:
            found.add(content)
        else:
            sound = False
        at += 12 + length
    return found, at, sound


def _over(dice: random.Random, raw: bytes, other: bytes) -> bytes:
    at = dice.randrange(len(raw))
    return raw[:at] + other + raw[at + len(other) :]
