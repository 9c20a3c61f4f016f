"""Plans for walking wordings through many lines at once: their pieces as steps over bytes, and a tree of shared steps.

A literal is compared; a slot ends where the run of its characters does. Only ASCII is walked. A wording whose slots do
not end by themselves, and a line that is not walked to its end, are left to the reference parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from ....specs.lines import Primitive, Slot
from ....traces.events.frequent import frequent, strict, tail_of
from ....traces.events.wordings import Reader

_CLASS = r"\[(?:\\.|[^\]\\])+\]"
_CLASSES = re.compile(rf"(?:{_CLASS}){{1,2}}[+*]?")
_ONE_CLASS = re.compile(f"{_CLASS}[+*]")
_WORDS = re.compile("[A-Za-z-]+(?:[|][A-Za-z-]+)*")
_COLLECTION = re.compile(rf"({_CLASS}[+])\\\(")
_ANYTHING = ".*"
_NO_LARGE_NUMBER = "(?!.*[0-9]{19})"
_UNREAD = "\x01\x02\x1b\r\n"
"""Characters that no slot may hold here: the reference does not understand or removes them."""


@dataclass(frozen=True)
class Literal:
    text: bytes


@dataclass(frozen=True)
class Number:
    """A whole number; `signed`: it may be negative."""

    field: str | None
    signed: bool


@dataclass(frozen=True)
class Repeat:
    """As many of these characters as there are."""

    field: str | None
    characters: bytes
    ends: int | None
    """The character that follows, where a pattern restricts what may stand before it."""
    gives_back: bytes
    """The start of what follows, if it consists of these characters: it is not part of this text."""
    allowed: str | None
    """A pattern of the valid texts; None: all are valid."""
    least: int
    """The least number of characters."""
    is_list: bool
    """True if it may be long."""


@dataclass(frozen=True)
class Named:
    """A topic's name, a hyphen, and the number of a partition."""

    topic: str | None
    partition: str | None
    characters: bytes


@dataclass(frozen=True)
class Rest:
    """Anything, up to the text that ends the line."""

    field: str | None
    end: bytes


@dataclass(frozen=True)
class End:
    """The end of the line."""


Step = Literal | Number | Repeat | Named | Rest | End


@dataclass(frozen=True)
class Branch:
    """A step, and the steps that may follow it, in the order in which they are tried; at the end of lines their
    wording.
    """

    step: Step
    branches: tuple[Branch, ...] = ()
    reader: Reader | None = None


@cache
def walks(fields: tuple[str, ...]) -> tuple[Branch, ...]:
    """Return the plan for the frequent wordings, after time and level, that keeps these fields and shares common
    steps.
    """
    walked = ((reader, walk(reader, fields)) for reader in frequent())
    return _branches([(reader, steps) for reader, steps in walked if steps is not None])


_Option = tuple[Reader, tuple[Step, ...]]


def _branches(options: Sequence[_Option]) -> tuple[Branch, ...]:
    """Return branches; options whose first steps exclude each other may be tried in another order."""
    groups: list[list[_Option]] = []
    for option in options:
        group = next((each for each in reversed(groups) if not _exclude(each[0], option)), None)
        if group is not None and _begin_alike(group[0], option):
            group.append(option)
        else:
            groups.append([option])
    return tuple(map(_branch, groups))


def _branch(options: Sequence[_Option]) -> Branch:
    reader, (first, *_) = options[0]
    if isinstance(first, End):
        return Branch(first, reader=reader)
    if isinstance(first, Literal):
        size = _alike([steps[0].text for _, steps in options if isinstance(steps[0], Literal)])
        first = Literal(first.text[:size])
        return Branch(first, _branches([(reader, _behind(steps, size)) for reader, steps in options]))
    return Branch(first, _branches([(reader, steps[1:]) for reader, steps in options]))


def _alike(texts: Sequence[bytes]) -> int:
    """Return the number of bytes that the texts' beginnings have in common."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))


def _behind(steps: tuple[Step, ...], size: int) -> tuple[Step, ...]:
    """Return the steps without the first `size` characters of the literal that they begin with."""
    first = steps[0]
    rest = first.text[size:] if isinstance(first, Literal) else b""
    return (Literal(rest), *steps[1:]) if rest else steps[1:]


def _begin_alike(one: _Option, other: _Option) -> bool:
    first, second = one[1][0], other[1][0]
    return first == second or (isinstance(first, Literal) and isinstance(second, Literal))


def _exclude(one: _Option, other: _Option) -> bool:
    """Return whether no line can match both: they begin with different characters."""
    first, second = one[1][0], other[1][0]
    return isinstance(first, Literal) and isinstance(second, Literal) and first.text[0] != second.text[0]


@cache
def walk(reader: Reader, fields: tuple[str, ...]) -> tuple[Step, ...] | None:
    """Return the steps of a wording; None if it cannot be walked."""
    pieces = list(_joined(_expanded((*reader.wording.pieces, tail_of(reader)))))
    kept = _first_of_each(pieces, fields)
    found: list[Step] = []
    at = 0
    while at < len(pieces):
        step, taken = _step(pieces[at : at + 4], kept[at : at + 4])
        if step is None:
            return None
        found.append(step)
        at += taken
    return (*found, End())


def _expanded(pieces: Iterable[str | Slot]) -> Iterator[str | Slot]:
    """Yield a collection's name and its brackets as separate pieces."""
    for piece in pieces:
        collection = _COLLECTION.fullmatch(piece.primitive.before) if isinstance(piece, Slot) else None
        if isinstance(piece, Slot) and collection and piece.primitive.after == r"\)":
            yield Slot(None, Primitive("collection", "text", collection[1]))
            yield from ("(", piece, ")")
        else:
            yield piece


def _joined(pieces: Iterable[str | Slot]) -> Iterator[str | Slot]:
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        if text:
            yield text
        text = ""
        yield piece
    if text:
        yield text


def _first_of_each(pieces: Iterable[str | Slot], fields: tuple[str, ...]) -> list[str | None]:
    """Return for each piece the field that it is kept in: the first slot of a field sets its value."""
    seen: set[str | None] = {None}
    found = []
    for piece in pieces:
        field = piece.field if isinstance(piece, Slot) else None
        found.append(field if field in fields and field not in seen else None)
        seen.add(field)
    return found


def _step(pieces: list[str | Slot], kept: list[str | None]) -> tuple[Step | None, int]:
    """Return the step for the first of some pieces, and the number of pieces that it consumes."""
    piece, *behind = pieces
    if isinstance(piece, str):
        return Literal(piece.encode()), 1
    following = behind[0] if behind else None
    if not isinstance(following, str):
        return None, 1
    primitive = piece.primitive
    if primitive.inner == _ANYTHING:
        return (Rest(kept[0], following.encode()), 2) if len(behind) == 1 else (None, 1)
    if primitive.kind == "int":
        return Number(kept[0], primitive.inner.startswith("-?")), 1
    characters = _characters(primitive)
    if characters is None:
        return None, 1
    shared = bytes(takewhile(characters.__contains__, following.encode()))
    if not shared or (primitive.kind == "ints" and len(shared) < len(following)):
        return _run(primitive, kept[0], characters, shared, ord(following[0])), 1
    if following == "-" and _is_index(behind[1:], characters):
        return Named(kept[0], kept[2], characters), 3
    return None, 1


def _is_index(pieces: list[str | Slot], characters: bytes) -> bool:
    if len(pieces) < 2 or not isinstance(pieces[0], Slot) or not isinstance(pieces[1], str):
        return False
    return pieces[0].primitive.inner == "[0-9]+" and ord(pieces[1][0]) not in characters


def _run(primitive: Primitive, field: str | None, characters: bytes, shared: bytes, follows: int) -> Repeat:
    """Return a run; `shared`: the start of what follows within these characters; `follows`: its first."""
    exact = strict(primitive)
    is_list = primitive.kind == "ints"
    any_is_right = _ONE_CLASS.fullmatch(exact) is not None
    least = 0 if re.fullmatch(exact, "") else 1
    allowed = f"{_NO_LARGE_NUMBER if is_list else ''}(?:{exact})"
    return Repeat(
        field,
        characters,
        follows if is_list and not shared else None,
        shared,
        None if any_is_right else allowed,
        least,
        is_list,
    )


def _characters(primitive: Primitive) -> bytes | None:
    """Return the ASCII characters of a text; None if it is neither a class of them nor a choice of words."""
    pattern = primitive.exact if _ONE_CLASS.fullmatch(primitive.exact) else primitive.inner
    if _CLASSES.fullmatch(pattern):
        one = re.compile("|".join(re.findall(_CLASS, pattern)))
    elif _WORDS.fullmatch(pattern):
        one = re.compile(f"[{re.escape(''.join(sorted(set(pattern) - {'|'})))}]")
    else:
        return None
    return bytes(n for n in range(1, 127) if one.fullmatch(chr(n)) and chr(n) not in _UNREAD)
