"""Batches whose offset or epoch, which no CRC covers, is not that of the same batch in other copies.

A copy may be damaged so that its headers fit each other: all offsets from a batch on are shifted, or an epoch is
another. The rest of a batch is covered by its CRC, so the same batch is found in the other copies. Where it stands in
most of those that fit themselves, it was written; elsewhere the header lies. Where as many have it in one place as in
another, nothing shows which of them is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...files.metadata import MetadataCopy

Position = tuple[int, int]
"""The index of a file, and the first byte of a batch in it."""
_Standing = dict[tuple[int, int], dict[int, Position]]
"""By offset and epoch the copies that have a batch there, by their numbers, with its positions."""
_FROM = 17
"""The first byte of the CRC."""
_TIMES = slice(27, 43)
_KIND, _OF_TIMES = 22, 0x08
"""The byte of the attributes with the bit that says which times a batch has, and that bit."""
_CRC = slice(_FROM, 21)


def astray(copies: Sequence[MetadataCopy], odd: Sequence[bool]) -> list[frozenset[Position]]:
    """Return for each copy the batches whose headers lie, or may.

    Args:
        odd: for each copy whether it does not fit itself.
    """
    found: list[set[Position]] = [set() for _ in copies]
    for standing in _contradictions(copies):
        weights = {place: (sum(not odd[each] for each in own), len(own)) for place, own in standing.items()}
        most = max(weights.values())
        right = [place for place, weight in weights.items() if weight == most]
        for place, own in standing.items():
            if len(right) > 1 or place != right[0]:
                for each, position in own.items():
                    found[each].add(position)
    return [frozenset(each) for each in found]


def _contradictions(copies: Sequence[MetadataCopy]) -> Iterator[_Standing]:
    """Yield the batches that stand in several places, each in other copies.

    Two batches of one copy that are alike, such as NoOps of one millisecond, are two.
    """
    standing: Mapping[int, _Standing] = defaultdict(lambda: defaultdict(dict))
    for number, copy in enumerate(copies):
        for segment, frame in copy.frames():
            place = frame.offset, frame.epoch
            standing[hash(frame.raw[_FROM:])][place][number] = segment.index, frame.position
    for own in standing.values():
        holders = [number for there in own.values() for number in there]
        if len(own) > 1 and len(holders) == len(set(holders)):
            yield own


def retimed(one: bytes, other: bytes) -> bool:
    """Return whether two batches differ in nothing but times in their headers, or in which of them count, and so in
    their CRCs."""
    return _untimed(one) == _untimed(other)


def _untimed(raw: bytes) -> tuple[bytes, ...]:
    kind = bytes((raw[_KIND] & ~_OF_TIMES,))
    return raw[: _CRC.start], raw[_CRC.stop : _KIND], kind, raw[_KIND + 1 : _TIMES.start], raw[_TIMES.stop :]
