"""Rounds of mangled recordings: a round has each way at each severity once, and some ways combined.

The number of a round determines all of it: many rounds may be stopped and go on, and one may be repeated alone.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from .harness import Case
from .ways import WAYS

COMBINED = 14
"""The cases of a round that are mangled in several ways."""
COLLECTED = 0.25
"""This part of the cases is of files of the corpus, if it is there."""
LARGEST = 400_000
"""Bytes of the largest file of the corpus that is mangled."""


def collected(corpus: Path, largest: int = LARGEST) -> dict[str, Path]:
    """The files of the corpus that are not too large, by name."""
    return {path.name: path for path in sorted(corpus.glob("*.log*")) if path.stat().st_size < largest}


def combined(dice: random.Random, name: str, seed: int) -> Case:
    """Two or three ways, one after the other."""
    ways = dice.sample(sorted(WAYS), dice.choice((2, 3)))
    return Case(name, tuple((way, dice.choice(WAYS[way].severities)) for way in ways), seed)


def of_round(
    number: int, recordings: Sequence[str], corpus: Sequence[str] = (), ways: Collection[str] = WAYS
) -> Iterator[Case]:
    """The cases of a round; with `ways`, those that are mangled in one of them."""
    return (case for case in _of_round(number, recordings, corpus) if any(name in ways for name, _ in case.ways))


def _of_round(number: int, recordings: Sequence[str], corpus: Sequence[str]) -> Iterator[Case]:
    dice = random.Random(f"round {number}")

    def one() -> str:
        return dice.choice(corpus if corpus and dice.random() < COLLECTED else recordings)

    for name, way in WAYS.items():
        for severity in way.severities:
            yield Case(one(), ((name, severity),), number)
    for _ in range(COMBINED):
        yield combined(dice, one(), number)
