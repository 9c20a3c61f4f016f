"""Reassembly of lines that a log writer cut into pieces."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..sources.text import ENDLESS, LONGEST, cleaned
from .wrapping import Held, encodable, lines_of

_BEGINS = re.compile(r"\[?[12][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}|\{")
_PIECE = 16_000
"""Docker cuts longer lines into pieces of 16 KiB, in bytes; in characters a piece has at least this length."""


class Placed(NamedTuple):
    """The content of an envelope, and where it begins in the file."""

    place: int
    held: Held


def begins(held: Held) -> bool:
    """Return True if a record begins a line, whatever came before."""
    return not isinstance(held.value, str) or _BEGINS.match(held.value) is not None


def goes_on(held: Held, *, unended: bool) -> bool:
    """Return True if the next record is the rest of this one.

    Docker ends a line with a line feed; hand-written JSON of Docker's form may lack it in every line (`unended`).
    """
    return held.goes_on and isinstance(held.value, str) and (not unended or len(held.value) >= _PIECE)


class Pieces:
    """The records of one writer, joined to lines; `cut` counts the lines whose rest is missing.

    A line that is too long keeps its beginning, like any other.
    """

    def __init__(self, *, unended: bool = False) -> None:
        self.cut = 0
        self._unended = unended
        self._first: Placed | None = None
        self._texts: list[str] = []
        self._size = 0

    def add(self, record: Placed) -> list[Placed]:
        """Return the lines that are complete with this record."""
        found = self.end() if begins(record.held) else []
        if self._first is None and not goes_on(record.held, unended=self._unended):
            return [*found, record]
        self._first = self._first or record
        self._texts.append(record.held.value[: LONGEST + 1 - self._size])
        self._size += len(self._texts[-1])
        return found if goes_on(record.held, unended=self._unended) else self._taken()

    def end(self) -> list[Placed]:
        """Return the line that waits for its rest, as one that is cut: no more records follow."""
        if self._first is None:
            return []
        self.cut += 1
        self._texts.append(ENDLESS)
        return self._taken()

    def waiting(self) -> Placed | None:
        """Return the pieces that wait for their rest as one record, and stop waiting."""
        return self._taken(goes_on=True)[0] if self._first is not None else None

    def _taken(self, *, goes_on: bool = False) -> list[Placed]:
        if self._first is None:
            return []
        place, held = self._first
        found = Placed(place, held._replace(value="".join(self._texts), goes_on=goes_on))
        self._first, self._texts, self._size = None, [], 0
        return [found]


def missing(cut: int) -> str | None:
    """Return the problem of a file with a number of cut lines."""
    return f"pieces of {cut} line{'s' * (cut > 1)} are missing" if cut else None


def texts_of(held: Held) -> list[str]:
    """Return the lines that a record contains; each is one place after the previous one."""
    texts = [text if len(text) <= LONGEST else text[:LONGEST] + ENDLESS for text in map(cleaned, lines_of(held.value))]
    return [text if text.isascii() else encodable(text) for text in texts]
