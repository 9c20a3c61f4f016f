"""The few wordings that make up a large log, as Java patterns.

Most lines of a large log are moves of the state machines, requests and what becomes of them, and what brokers lead and
fetch from then on. A line that such a pattern matches is one of theirs, whatever else it holds, and is read in one
step. There is one pattern for all that begins alike; the releases differ late in a line, so it is a tree: what they
share is matched once. A class of any number of characters is greedy: Java reads such a one in a loop of its own, which
a possessive one (`++`) does not get, and where the next character cannot be its own there is nothing to give back. One
of a limited number is possessive.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ...specs.lines import Primitive, Slot
from ...specs.releases import ALL
from ..events.layouts import LEVELS, escape
from ..events.parse import TIME
from ..events.wordings import SEPARATORS, Bucket, Reader, Test, dispatch, readers, sentence_of
from ..sources.text import ESCAPE, REPLACED

ROWS = (
    *("replica-moved", "partition-offline-or-gone", "partition-online", "partition-created"),
    *("leader-and-isr-sent", "leader-and-isr-sent-count", "leader-and-isr-received", "leader-and-isr-begun"),
    *("update-metadata-sent", "update-metadata-sent-count", "metadata-cached"),
    *("stop-replica-sent", "stop-replica-sent-count", "stop-replica-received", "stop-replica-begun"),
    *("become-begun", "become-ended", "leader-started", "follower-started", "leader-starts"),
    *("fetchers-added", "fetchers-removed", "isr-shrinks", "isr-expands", "isr-updated", "isr-committed"),
)
"""Rows of the line table whose lines make up a large log."""
MOST_DIGITS = 18
"""The digits that fit a bigint."""
MOST_CHARACTERS = 255
"""Of the name of who speaks, as far as it is no number: so the words of a message are within HEAD."""
MOST = 22
"""The most wordings that one pattern tells apart."""
_UNWANTED = "".join(SEPARATORS) + "\r" + ESCAPE + REPLACED
"""What Spark's reading needs for itself, and what the text of a line has not as Python decodes it, or otherwise."""
_TIME = TIME.replace("(", "").replace(")", "")
_ANYTHING = ".*"
_CLASS = re.compile(r"(-\?)?(\[(?:\\.|[^\]\\])+\])([+*]|\{1,[0-9]+\})")


class Mark(NamedTuple):
    """What lines that begin alike have: words right behind the bracket of who speaks, or anywhere in their heads."""

    words: str
    bracketed: bool


@cache
def frequent(releases: int = ALL) -> Mapping[Mark, tuple[Reader, ...]]:
    """By their marks, those behind a bracket first, wordings of some releases in the order in which they are tried."""
    if releases != ALL:  # whoever asks for some has looked for all already
        some = {
            mark: tuple(reader for reader in own if reader.wording.releases & releases)
            for mark, own in frequent().items()
        }
        return {mark: own for mark, own in some.items() if own}
    found: dict[Mark, tuple[Reader, ...]] = {}
    own = [reader for row in ROWS for reader in readers() if reader.row.id == row]
    for bucket in dict.fromkeys(map(_bucket_of, own)):
        tests = [test for _, test in bucket]
        for place, (reader, _) in enumerate(bucket):
            if reader.row.id in ROWS and prints_all(reader, tests[: place + 1]):
                found[_mark(reader)] = (*found.get(_mark(reader), ()), reader)
    return dict(sorted(found.items(), key=lambda each: not each[0].bracketed))


def _bucket_of(reader: Reader) -> Bucket:
    return dispatch().loose if reader.key is None else dispatch().by_key[reader.key]


def _mark(reader: Reader) -> Mark:
    """The first word of its sentence, and the first character of the next if that is one of a few.

    If any word may be the first, the first literal that ends one.
    """
    if reader.key is None:
        return Mark(next(piece for piece in reader.speaker_slots[1] if isinstance(piece, str) and " " in piece), False)
    words = sentence_of(reader.filled)[: len(reader.key) + 2]
    start, following = reader.literals[1], reader.speaker_slots[1][1:2]
    is_any = following and isinstance(following[0], Slot) and _CLASS.fullmatch(following[0].primitive.inner)
    return Mark(start if is_any and words.startswith(start) else words, reader.filled.startswith("["))


def tail_of(reader: Reader) -> str:
    """How its lines end: with the name of the logger."""
    return f" ({reader.row.logger(reader.wording.releases)})"


def prints_all(reader: Reader, tests: Sequence[Test]) -> bool:
    """Whether what its pattern matches is a line of this wording, whatever else it holds.

    `tests` are its own, the last, and those of the wordings that are tried before it.
    """
    return (
        reader.row.bears
        and len(tail_of(reader)) >= MOST
        and all(slot.primitive.inner == _ANYTHING or _is_narrow(slot.primitive) for slot in _slots(reader))
        and not any(map(_first_word(reader).fullmatch, dispatch().by_key if reader.key is None else ()))
        and all(map(_list_ends, reader.wording.pieces, reader.wording.pieces[1:]))
        and not any(map(reader.may_print, tests[-1].without))
        and all(_never(test, reader) for test in tests[:-1])
    )


def _is_narrow(primitive: Primitive) -> bool:
    return "." not in _CLASS.sub("", primitive.inner)


def _first_word(reader: Reader) -> re.Pattern[str]:
    """Of its sentence, where that begins with a slot."""
    pieces = itertools.takewhile(lambda piece: isinstance(piece, Slot) or " " not in piece, reader.speaker_slots[1])
    return re.compile("".join(re.escape(p) if isinstance(p, str) else p.primitive.inner for p in pieces))


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
    return (
        not _may_begin(reader, test.start)
        or any(text and not reader.may_print(text) for text in wanted)
        or any(text in reader.literal_pieces for text in test.without)
    )


def _may_begin(reader: Reader, text: str) -> bool:
    """Whether the sentence of a line of a wording may begin with a text, by its first two pieces."""
    start, following = reader.literals[1], reader.speaker_slots[1][1:2]
    if start.startswith(text) or not text.startswith(start):
        return start.startswith(text)
    if not start or not following or isinstance(following[0], str) or following[0].primitive.before:
        return True
    whole = _CLASS.fullmatch(following[0].primitive.inner)
    if whole is None or whole[3] == "*":
        return True
    return re.match(f"{whole[1] or ''}{whole[2]}", text[len(start) :]) is not None


@dataclass(frozen=True)
class _Kept:
    """A slot, and the field that it is kept in, if any. `speaks`: it is part of who speaks."""

    primitive: Primitive
    field: str | None
    speaks: bool


@dataclass(frozen=True)
class _End:
    """The end of a wording: the logger's name in two pieces; the length of the first tells which wording it is."""

    place: int
    tail: str


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
    speakers = len(reader.speaker_slots[0])
    for number, piece in enumerate(reader.wording.pieces):
        if isinstance(piece, str):
            found += piece
            continue
        kept = piece.field in fields and piece.field not in seen
        seen.add(piece.field)
        found.append(_Kept(piece.primitive, piece.field if kept else None, number < speakers))
    return (*found, _End(place, tail_of(reader)))


def _add(made: Pattern, options: Sequence[tuple[_Token, ...]]) -> None:
    """One of several rows of tokens, the first that matches."""
    branches = _branches(options)
    if len(branches) > 1:
        made.text += "(?:"
    for place, (token, rests) in enumerate(branches):
        if place:
            made.text += "|"
        if isinstance(token, _End):
            made.group("piece", escape(token.tail[: token.place]))
            made.text += escape(token.tail[token.place :])
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
    inner = _inner(token, behind)
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
    return token if isinstance(token, str) else token.tail[0]


def _inner(slot: _Kept, behind: Iterable[str | None]) -> str:
    """The pattern of a slot: of the texts that the reference takes there those that Spark can read as it does."""
    primitive = slot.primitive
    if primitive.kind == "ints" and (primitive.exact or not primitive.item):
        return _list_of(primitive)
    if primitive.inner == _ANYTHING:
        return f"[^{_UNWANTED.encode('unicode_escape').decode()}]*"
    whole = _CLASS.fullmatch(primitive.exact or primitive.inner)
    if whole is None:
        return primitive.exact or primitive.inner
    minus, characters, times = whole.groups()
    if primitive.kind == "int":
        times = f"{{1,{MOST_DIGITS}}}"
    elif slot.speaks:
        times = f"{{1,{MOST_CHARACTERS}}}"
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
