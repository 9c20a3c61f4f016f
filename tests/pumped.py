"""Texts that a pattern nearly matches: each part of it that may go on for long does, with what may stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

try:
    from re import _constants as codes
    from re import _parser as parser
except ImportError:  # before Python 3.11
    import sre_constants as codes
    import sre_parse as parser

FILLERS = (" ", "1", "a", ",", "[", "]", "(", ")", "-", ".", "=", "/", '"', "{", ": ", ", ", "(a", "1,", "-1", "\0")
LONG = 60
"""The repeats above which a part may go on for long."""
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)
Node = Any
"""A part of a parsed pattern: a code, and what it is of."""


def loops(pattern: str) -> int:
    """Return how many parts of a pattern may go on for long."""
    return sum(map(_is_long, _opened(parser.parse(pattern, re.DOTALL))))


def pumped(pattern: str, flags: int = 0) -> Iterator[tuple[str, str, str]]:
    """Yield beginnings, units to be repeated, and ends."""
    parts = [*_opened(parser.parse(pattern, flags))]
    shown = [_shortest([part]) for part in parts]
    long = [number for number, part in enumerate(parts) if _is_long(part)]
    found: dict[tuple[str, str, str], None] = {}
    for number in long:
        begin, rest = "".join(shown[:number]), "".join(shown[number + 1 :])
        units = [*FILLERS, _shortest(parts[number][1][2])]
        units += ["".join(shown[number + 1 : end]) for end in (*long, len(parts)) if end > number]
        units += ["".join(shown[other + 1 : number]) for other in long if other < number]
        half = len(rest) // 2
        for unit in filter(None, units):
            found |= dict.fromkeys(
                (begin, unit, end) for end in ("", rest, f"\0{rest}", f"{rest[:half]}\0{rest[half:]}")
            )
    whole = ["".join(shown[:end]) for end in range(1, len(parts) + 1)]
    found |= {("", unit, "\0"): None for unit in whole if unit}
    yield from sorted(found)


def _opened(parts: Iterable[Node]) -> Iterator[Node]:
    """Yield the parts of a pattern, with those of its groups."""
    for code, value in parts:
        if code is codes.SUBPATTERN:
            yield from _opened(value[3])
        else:
            yield code, value


def _is_long(part: Node) -> bool:
    return part[0] in _REPEATS and part[1][1] > LONG


def _shortest(parts: Iterable[Node]) -> str:
    """Return the shortest text of some parts; one that looks around has none."""
    return "".join(map(_one, parts))


def _one(part: Node) -> str:
    code, value = part
    if code is codes.LITERAL:
        return chr(value)
    if code in (codes.ANY, codes.NOT_LITERAL):
        return "b" if value == ord("a") else "a"
    if code is codes.IN:
        return _of_class(value)
    if code in _REPEATS:
        return _shortest(value[2]) * value[0]
    if code is codes.SUBPATTERN:
        return _shortest(value[3])
    return _shortest(value[1][0]) if code is codes.BRANCH else ""


def _of_class(items: Sequence[Node]) -> str:
    """Return a character of a class."""
    allowed = re.compile("|".join(map(_as_pattern, (item for item in items if item[0] is not codes.NEGATE))), re.DOTALL)
    wanted = items[0][0] is not codes.NEGATE
    chosen = ("a1A0 ,-/([=.", map(chr, range(1, 256)))
    return next(char for chars in chosen for char in chars if (allowed.fullmatch(char) is not None) == wanted)


def _as_pattern(item: Node) -> str:
    code, value = item
    if code is codes.RANGE:
        return f"[{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}]"
    if code is codes.LITERAL:
        return re.escape(chr(value))
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(value).rpartition("_")[2]]
    return f"\\{letter.upper() if 'NOT' in str(value) else letter}"
