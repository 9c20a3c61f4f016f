"""The lines of one writer in the order of writing, for envelopes that have them newest first, or in no order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from .instants import MILLISECOND, SECOND, instant

JITTER = 100 * MILLISECOND
"""Nanoseconds by which threads may print late."""
_TIES, _WORDINGS = 20, 8
"""This many lines that share a time with the one above, of this many wordings, are not in the order of their text by
accident: of 1,365 logs in the order of writing none has 14 of more than 4, or 12."""
_DIGITS = re.compile("[0-9]+")
_TEXT = slice(14, 80)
"""Position of the wording in a line whose numbers are one character each: after the time."""
_PRINTED = re.compile(r"\[?([12][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)")


class Entry(NamedTuple):
    """The content of one record."""

    outer: int | None
    """The time of its envelope, in nanoseconds."""
    lines: list[str]
    places: list[int]
    """The place of each line in the file."""


class Ordered(NamedTuple):
    """Entries in the order of writing. No finding rests on the order within a millisecond, in any log."""

    entries: Sequence[Entry]
    how: str | None = None
    """The way in which they were ordered; None if they were left as they were."""
    doubt: str | None = None
    """The reason why the order of lines in different milliseconds is not certain; None if it is."""


def printed(line: str) -> int | None:
    """Return the time at the beginning of a line, as if it were UTC, in nanoseconds."""
    match = _PRINTED.match(line)
    return None if match is None else instant(match[1])


def by_text(lines: Sequence[str]) -> bool:
    """Return True if lines of one time are in the order of their text: the file was sorted, as `sort` does it."""
    tied = []
    for (before, then), (line, at) in pairwise((line, printed(line)) for line in lines):
        if at is None or before == line or at != then:
            continue
        if line < before:
            return False
        tied.append((before, line))
    if len(tied) < _TIES:
        return False
    words = [tuple(_DIGITS.sub("#", text)[_TEXT] for text in pair) for pair in tied]
    return sum(before != after for before, after in words) >= _TIES and len({*chain(*words)}) >= _WORDINGS


def ordered(entries: Sequence[Entry], *, reversed_ties: bool) -> Ordered:
    """Return the entries of one stream, oldest first.

    Lines in the order of writing, or in exactly the opposite order, are not compared by their times, because threads
    may print late. Other lines are sorted; those with one time keep their order, and it is unknown whether that is
    right. `reversed_ties`: the newest line is first, and lines with one time are reversed, too.
    """
    times, fine = _times(entries)
    known = [time for time in times if time is not None]
    steps = [after - before for before, after in pairwise(known)]
    up, down = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
    if up >= down and all(step >= -JITTER for step in steps):
        return Ordered(entries)
    falls = down > up and all(step <= JITTER for step in steps)
    tied = len(set(known)) < len(known)
    doubt = None if fine else "lines of one second may not be in the order of writing"
    unsure = "; lines of one millisecond may not be in the order of writing" if fine and tied else ""
    if falls:
        sure = reversed_ties or not tied
        how = "newest first: reversed"
        return Ordered(entries[::-1], how) if sure else Ordered(entries[::-1], how + unsure, doubt)
    if down > up:
        entries, times = entries[::-1], times[::-1]
    keys = _filled(times)
    order = sorted(range(len(entries)), key=keys.__getitem__)
    return Ordered([entries[i] for i in order], "not in order: sorted by time" + unsure, doubt)


def _times(entries: Sequence[Entry]) -> tuple[list[int | None], bool]:
    """Return the times to sort by, and whether they have milliseconds: the envelope's times if they are finer than
    those printed."""
    outer = [entry.outer for entry in entries]
    inner = [printed(entry.lines[0]) if entry.lines else None for entry in entries]
    for times in (_complete(outer), inner, outer):
        known = [time for time in times if time is not None]
        if any(time % SECOND for time in known):
            return times, True
    return (inner if any(time is not None for time in inner) else outer), False


def _complete(times: list[int | None]) -> list[int | None]:
    """Return the times if all are finer than milliseconds, when as a rule no two lines share one; otherwise none."""
    fine = all(time is not None for time in times) and any((time or 0) % MILLISECOND for time in times)
    return times if fine else []


def _filled(times: Sequence[int | None]) -> list[int]:
    """Return the times, with that of the previous line for a line without one."""
    filled, last = [], 0
    for time in times:
        last = last if time is None else time
        filled.append(last)
    return filled
