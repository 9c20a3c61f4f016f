"""Lines whose ends are missing: completed, with … for each text that is not there, where one row of the table fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ...specs.lines import Slot, Wording
from ..events.event import Event
from ..events.parse import parse_line
from ..events.wordings import Reader, dispatch, key_of, sentence_of

MISSING = "…"
_LEAST = 30
"""The least number of characters of a sentence that a line must have: fewer could begin another line of Kafka."""
_LINE = re.compile(r"(?P<head>\[[^\]]*\] [A-Z]+ )(?P<message>.*) (?P<logger>\([^()]*\))")


def completed(line: str) -> str | None:
    """Return a line in the default layout with the end that it lacks; None if it fits no row that says what happened,
    or several."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    message = match["message"].rstrip()
    found: dict[str, list[str]] = {}
    for reader in sorted(dispatch().by_key.get(key_of(sentence_of(message)), ()), key=_releases, reverse=True):
        at = _place(message, reader.wording)
        if at is not None:
            own = found.setdefault(reader.row.id, [])
            own += _with(message, reader.wording, *at) if reader.row.happens is not None else ()
    if len(found) != 1:
        return None
    ((row, messages),) = found.items()
    lines = (f"{match['head']}{each} {match['logger']}" for each in messages)
    return next((line for line in lines if isinstance(it := parse_line(line), Event) and it.row == row), None)


def _releases(reader: Reader) -> int:
    """Sort key: the number of releases that print a wording."""
    return reader.wording.releases.bit_count()


def _place(message: str, wording: Wording) -> tuple[int, int] | None:
    """Return the piece of a wording at which a message ends, and how much of it is there; None if it is not the
    beginning of this wording, or too little of it."""
    beginnings = _beginnings(wording)
    for number in reversed(range(1, len(wording.pieces))):
        (pattern, known), piece = beginnings[number - 1], wording.pieces[number]
        cut = _cut(message, pattern, piece) if isinstance(piece, str) else 0 if pattern.fullmatch(message) else None
        if cut is not None and known + cut >= _LEAST:
            return number, cut
    return None


@cache
def _beginnings(wording: Wording) -> tuple[tuple[re.Pattern[str], int], ...]:
    """Return a pattern of the first pieces of a wording, for each number of them, and how much of it is literal."""
    return tuple(
        (
            re.compile("".join(map(_pattern, there)), re.DOTALL),
            sum(len(each) for each in there[wording.prefix :] if isinstance(each, str)),
        )
        for there in (wording.pieces[:number] for number in range(1, len(wording.pieces)))
    )


def _cut(message: str, before: re.Pattern[str], literal: str) -> int | None:
    """Return the number of characters of a literal text with which a message ends; None if it ends otherwise."""
    for length in reversed(range(len(literal))):
        if message.endswith(literal[:length]) and before.fullmatch(message[: len(message) - length]):
            return length
    return None


def _with(message: str, wording: Wording, number: int, cut: int) -> Iterator[str]:
    """Yield a message with the end that it lacks; nothing if only a guess could stand for a value."""
    last, rest = wording.pieces[number - 1], wording.pieces[number:]
    shown = [message]
    if isinstance(last, Slot) and cut == 0 and isinstance(rest[0], str) and _holds(last, MISSING):
        shown.append(MISSING)  # the value may have been longer
    for piece in rest:
        text = piece if isinstance(piece, str) else next((each for each in (MISSING, "") if _holds(piece, each)), None)
        if text is None:
            return
        shown.append(text[cut:])
        cut = 0
    yield "".join(shown)


def _holds(slot: Slot, text: str) -> bool:
    return re.fullmatch(slot.primitive.inner, text) is not None


@cache
def _pattern(piece: str | Slot) -> str:
    if isinstance(piece, str):
        return re.escape(piece)
    own = piece.primitive
    return f"{re.escape(own.before)}(?:{own.inner}){re.escape(own.after)}"
