"""The content of a sequence diagram, before any format: lanes, and what happens in them one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PLAIN, GOOD, BAD = "plain", "good", "bad"
"""The kinds of a happening; `BAD` is red: a death, a failure, the end of a counterexample."""


@dataclass(frozen=True)
class Happening:
    """A note over lanes, or an arrow from one lane to another."""

    lines: tuple[str, ...]
    """The text, whose first line says what happens."""
    lanes: tuple[str, ...]
    """The ids of the lanes that a note covers; of an arrow its source and its target."""
    is_arrow: bool = False
    kind: str = PLAIN
    time: str = ""
    """The time of it, beside the lanes."""


@dataclass(frozen=True)
class SequenceDrawing:
    """A sequence diagram."""

    title: str
    caption: tuple[str, ...]
    """The meaning of arrows and of red, for readers."""
    lanes: tuple[tuple[str, str], ...]
    """Id and label of each lane, from left to right."""
    happenings: tuple[Happening, ...]
    loop: int | None = None
    """The place of the happening from which on everything goes round forever."""


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Break lines at spaces to a width; one word may be wider."""
    found = []
    for line in lines:
        words = line.split(" ")
        row = words[0]
        for word in words[1:]:
            if len(row) + 1 + len(word) > width:
                found.append(row)
                row = word
            else:
                row = f"{row} {word}"
        found.append(row)
    return found
