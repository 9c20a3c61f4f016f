"""The few wordings that make up a large log, as Java patterns.

Most lines of a large log are moves of the state machines, and requests and what becomes of them. A line that such a
pattern matches is one of theirs, whatever else it holds, and is read in one step. There is one pattern for all that
begins alike; the releases differ late in a line, so it is a tree: what they share is matched once. A class of any
number of characters is greedy: Java reads such a one in a loop of its own, which a possessive one (`++`) does not get,
and where the next character cannot be its own there is nothing to give back. One of a limited number is possessive.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from ...specs.lines import STATE_CHANGE, Primitive, Slot
from ..events.layouts import LEVELS, escape
from ..events.parse import TIME
from ..events.wordings import SEPARATORS, Reader, Test, dispatch, sentence_of
from ..sources.text import ESCAPE, REPLACED

FAMILY = STATE_CHANGE
WORDS = tuple(
    form
    for word in ("Changed", "Sending", "Cached", "Received", "Handling", "Completed")
    for form in (word, word.lower())
)
"""First words of what makes up a large log."""
RARE = ("request-refused", "step-skipped")
"""Roles of lines that may begin so, and do not make up a large log."""
MOST_DIGITS = 18
"""The digits that fit a bigint, and leave the words of a message within HEAD."""
_TAIL = f" ({FAMILY})"
MOST = len(_TAIL)
"""The most wordings that one pattern tells apart."""
_UNWANTED = "".join(SEPARATORS) + "\r" + ESCAPE + REPLACED
"""What Spark's reading needs for itself, and what the text of a line has not as Python decodes it, or otherwise."""
_TIME = TIME.replace("(", "").replace(")", "")
_CLASS = re.compile(r"(-\?)?(\[(?:\\.|[^\]\\])+\])([+*]|\{1,[0-9]+\})")


@cache
def frequent() -> Mapping[str, tuple[Reader, ...]]:
    """By how their sentences begin, wordings in the order in which they are tried."""
    found: dict[str, tuple[Reader, ...]] = {}
    for word in WORDS:
        bucket = dispatch().by_key.get(word, ())
        tests = [test for _, test in bucket]
        for place, (reader, _) in enumerate(bucket):
            if reader.row.role not in RARE and prints_all(reader, tests[: place + 1]):
                found[_beginning(reader)] = (*found.get(_beginning(reader), ()), reader)
    return found


def _beginning(reader: Reader) -> str:
    """The first word of its sentence and the first character of the next."""
    return sentence_of(reader.filled)[: len(reader.key or "") + 2]


def prints_all(reader: Reader, tests: Sequence[Test]) -> bool:
    """Whether what its pattern matches is a line of this wording, whatever else it holds.

    `tests` are its own, the last, and those of the wordings that are tried before it.
    """
    return (
        reader.row.bears
        and FAMILY.startswith(reader.row.begins)
        and all("." not in _CLASS.sub("", slot.primitive.inner) for slot in _slots(reader))
        and all(map(_list_ends, reader.wording.pieces, reader.wording.pieces[1:]))
        and not any(map(reader.may_print, tests[-1].without))
        and all(_never(test, reader) for test in tests[:-1])
    )


def _slots(reader: Reader) -> list[Slot]:
    return [piece for piece in reader.wording.pieces if isinstance(piece, Slot)]


def _list_ends(piece: str | Slot, following: str | Slot) -> bool:
    """Whether a list, if the piece is one, is as long as it can be where it is followed by this."""
    if isinstance(piece, str) or piece.primitive.kind != "ints" or piece.primitive.after:
        return True
    return isinstance(following, str) and re.match(", ?(?:[0-9]|$)", following) is None


def _never(test: Test, reader: Reader) -> bool:
    """Whether no line of a wording passes a test."""
    wanted = (test.head, test.start, *test.inner, test.end)
    return any(text and not reader.may_print(text) for text in wanted) or any(
        text in reader.literal_pieces for text in test.without
    )


@dataclass(frozen=True)
class _Kept:
    """A slot, and the field that it is kept in, if any."""

    primitive: Primitive
    field: str | None


@dataclass(frozen=True)
class _End:
    """The end of a wording: the logger's name in two pieces; the length of the first tells which wording it is."""

    place: int


_Token = str | _Kept | _End
"""Literals are single characters."""


@dataclass
class Pattern:
    """A Java pattern, and what each of its groups captures: "time", "level", a field, or "piece"."""

    text: str = ""
    groups: list[str] = field(default_factory=list)

    def numbers(self) -> Mapping[str, str]:
        """For each name its groups as a replacement names them; but one of them match nothing in any one line."""
        found: dict[str, str] = defaultdict(str)
        for number, name in enumerate(self.groups, start=1):
            found[name] += f"${number}"
        return found

    def group(self, name: str, inner: str) -> None:
        self.groups.append(name)
        self.text += f"({inner})"


def pattern(found: Sequence[Reader], fields: Container[str]) -> Pattern:
    """Whole lines of the default layout in one of these wordings; groups for some fields only.

    The length of what the group "piece" captures is the place of the wording among them.
    """
    made = Pattern(r"(?sd)^\[")
    made.group("time", _TIME)
    made.text += r"\] "
    made.group("level", "|".join(LEVELS))
    made.text += " "
    _add(made, [_tokens(reader, place, fields) for place, reader in enumerate(found)])
    made.text += r"\r*$"
    return made


def _tokens(reader: Reader, place: int, fields: Container[str]) -> tuple[_Token, ...]:
    found: list[_Token] = []
    seen: set[str | None] = set()
    for piece in reader.wording.pieces:
        if isinstance(piece, str):
            found += piece
            continue
        kept = piece.field in fields and piece.field not in seen
        seen.add(piece.field)
        found.append(_Kept(piece.primitive, piece.field if kept else None))
    return (*found, _End(place))


def _add(made: Pattern, options: Sequence[tuple[_Token, ...]]) -> None:
    """One of several rows of tokens, the first that matches."""
    branches = _branches(options)
    if len(branches) > 1:
        made.text += "(?:"
    for place, (token, rests) in enumerate(branches):
        if place:
            made.text += "|"
        if isinstance(token, _End):
            made.group("piece", escape(_TAIL[: token.place]))
            made.text += escape(_TAIL[token.place :])
        else:
            _add_token(made, token, [rest[0] for rest in rests])
            _add(made, rests)
    if len(branches) > 1:
        made.text += ")"


def _branches(options: Sequence[tuple[_Token, ...]]) -> list[tuple[_Token, list[tuple[_Token, ...]]]]:
    """By first token, in order. Characters that differ exclude each other: rows may be tried before those between."""
    found: list[tuple[_Token, list[tuple[_Token, ...]]]] = []
    for token, *rest in options:
        for other, rests in reversed(found):
            if other == token:
                rests.append(tuple(rest))
                break
            if not (isinstance(other, str) and isinstance(token, str)):
                found.append((token, [tuple(rest)]))
                break
        else:
            found.append((token, [tuple(rest)]))
    return found


def _add_token(made: Pattern, token: str | _Kept, following: Iterable[_Token]) -> None:
    if isinstance(token, str):
        made.text += escape(token)
        return
    behind = {token.primitive.after[-1]} if token.primitive.after else {_first(each) for each in following}
    inner = _inner(token.primitive, behind)
    made.text += token.primitive.before
    if token.field is not None:
        made.group(token.field, inner)
    else:  # a group costs Java two steps, also one that keeps nothing
        made.text += f"(?:{inner})" if "|" in inner else inner
    made.text += token.primitive.after


def _first(token: _Token) -> str | None:
    """The character that a token begins with; None if it may be one of several."""
    if isinstance(token, _Kept):
        return None
    return token if isinstance(token, str) else _TAIL[0]


def _inner(primitive: Primitive, behind: Iterable[str | None]) -> str:
    """The pattern of a slot: of the texts that the reference takes there those that Spark can read as it does."""
    if primitive.kind == "ints":
        return _list_of(primitive)
    whole = _CLASS.fullmatch(primitive.exact or primitive.inner)
    if whole is None:
        return primitive.exact or primitive.inner
    minus, characters, times = whole.groups()
    if primitive.kind == "int":
        times = f"{{1,{MOST_DIGITS}}}"
    gives_nothing = all(each is not None and not re.match(characters, each) for each in behind)
    if characters.startswith("[^"):
        characters = f"[^{_UNWANTED.encode('unicode_escape').decode()}{characters[2:]}"
    possessive = gives_nothing and times not in ("+", "*")
    return f"{minus or ''}{_singly(characters)}{times}{'+' if possessive else ''}"


def _list_of(primitive: Primitive) -> str:
    """A list of numbers that fit a bigint. Java repeats a group with its stack, but not if it is possessive."""
    number = f"[0-9]{{1,{MOST_DIGITS}}}+"
    if primitive.exact:
        return primitive.exact.replace("[0-9]+", number).replace(")*", ")*+")
    found = f"{number}(?:{primitive.separator}{number})*+"
    return f"(?:{found})?" if re.fullmatch(primitive.inner, "") else found


def _singly(characters: str) -> str:
    """A class of several ranges as a class of single characters: those Java looks up in a table."""
    if characters.startswith("[^") or characters.count("-") < 2:
        return characters
    members = (char for char in map(chr, range(128)) if re.match(characters, char))
    return "[" + "".join(f"\\{char}" if char in "-.^]\\[" else char for char in members) + "]"
