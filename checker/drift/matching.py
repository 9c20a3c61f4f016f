"""Matching: whether a wording of ours could read the output of a template.

Both are literals with holes: slots in a wording, values in a template. They fit if they can be laid over each other so
that each literal meets the same literal, or a hole of the other side that lets it through: a slot for numbers accepts
no words. Holes can accept much, so a fit is rated by how much of the literals met each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...specs.lines import Primitive, Slot, Wording
from .templates import Template

_TOKEN = re.compile(r"[A-Za-z]+|[0-9]+|\n\s*|\s|[^A-Za-z0-9\s]")
_CHOICES = re.compile(r"[A-Za-z_|-]+")
_LETTER = re.compile("[A-Za-z]")
_NO_END = frozenset(" .,:;!")
"""Characters at which no value ends."""
_NEEDED = 2 / 3
"""The share of the shorter side's letters that must meet the same letters."""
_OF_WORDS = 0.5
"""The share of words that both must have for a comparison to be worthwhile."""


@dataclass(frozen=True)
class Hole:
    """A slot of a wording, or a value of a template."""

    primitive: Primitive | None = None
    """The primitive of a slot; None for a value, which may be anything."""


Token = str | Hole
ANYTHING = Hole()


@dataclass(frozen=True)
class Laid:
    """One side, cut into tokens."""

    tokens: tuple[Token, ...]
    words: frozenset[str]
    letters: int


def _laid(tokens: Sequence[Token]) -> Laid:
    literals = [token for token in tokens if isinstance(token, str) and _LETTER.match(token)]
    return Laid(tuple(tokens), frozenset(literals), sum(map(len, literals)))


def _cut(literal: str) -> Iterator[str]:
    for token in _TOKEN.findall(literal):
        yield " " if token.isspace() else token


@lru_cache(maxsize=65536)
def of_template(template: Template) -> Laid:
    """Cut a template; surrounding spaces are dropped, as layouts of lines drop them."""
    tokens: list[Token] = []
    for part in template.parts:
        tokens += [ANYTHING] if part is None else _cut(part)
    return _laid(_stripped(tokens))


@lru_cache(maxsize=65536)
def of_wording(wording: Wording, *, sentence: bool) -> Laid:
    """Cut a wording; with `sentence`, without the speaker, which a logger may prepend."""
    tokens: list[Token] = []
    for piece in wording.pieces[wording.prefix if sentence else 0 :]:
        tokens += [Hole(piece.primitive)] if isinstance(piece, Slot) else _cut(piece)
    return _laid(_stripped(tokens))


def _stripped(tokens: Sequence[Token]) -> list[Token]:
    kept = list(tokens)
    while kept and kept[0] == " ":
        del kept[0]
    while kept and kept[-1] == " ":
        del kept[-1]
    return kept


@lru_cache(maxsize=65536)
def _takes(primitive: Primitive, token: str) -> bool:
    """Return whether a slot accepts a literal: character by character, or as one of its words."""
    if _CHOICES.fullmatch(primitive.inner):
        return any(token in choice for choice in primitive.inner.split("|"))
    around = primitive.before + primitive.after
    return all(sign in around or re.fullmatch(primitive.inner, sign) for sign in token)


def reads(wording: Wording, template: Template) -> bool:
    """Return whether the wording could read a text of the template, with or without the speaker."""
    printed = of_template(template)
    return any(fits(of_wording(wording, sentence=sentence), printed) for sentence in (True, False))


def fits(ours: Laid, printed: Laid) -> bool:
    """Return whether the two sides can be laid over each other, with enough letters of the shorter one on the same
    letters.
    """
    shorter = min(ours.letters, printed.letters)
    fewest = min(len(ours.words), len(printed.words))
    if not shorter or len(ours.words & printed.words) < fewest * _OF_WORDS:
        return False
    met = _met(ours.tokens, printed.tokens)
    return met is not None and met >= shorter * _NEEDED


Cell = tuple[int | None, int | None]
"""The most letters that met so far; second, where a value has just consumed a character at which none ends."""
_NOWHERE: Cell = (None, None)


def _met(ours: Sequence[Token], printed: Sequence[Token]) -> int | None:
    """Return the most letters that meet the same letters, None if the sides do not fit: a table, a row for each of
    ours.
    """
    row: list[Cell] = [(0, None)]
    for token in printed:
        # Nothing of ours is consumed yet: only values that print nothing may precede it.
        row.append((row[-1][0], None) if isinstance(token, Hole) else _NOWHERE)
    for own in ours:
        last, row = row, [row[0] if isinstance(own, Hole) else _NOWHERE]
        for at, token in enumerate(printed):
            row.append(_cell(own, token, last[at], last[at + 1], row[at], first=at == 0))
    return row[-1][0]


def _cell(own: Token, token: Token, both: Cell, above: Cell, left: Cell, *, first: bool) -> Cell:
    """Return the best ways to here: both sides advance, ours alone (`above`), or the printed one alone (`left`).

    A value consumes what it may print of ours, and does not end in a space or a stop: these are written in the message.
    Only a `first` one may, which is the speaker.
    """
    ways: list[int | None] = []
    unended: list[int | None] = []
    if isinstance(own, Hole):
        ways.append(above[0])  # our slot prints nothing
        unended.append(above[1])
        if isinstance(token, Hole) or own.primitive is None or _takes(own.primitive, token):
            ways += [left[0], both[0]]
    if isinstance(token, Hole):
        ways.append(left[0])  # the value prints nothing
        taken = [*above, both[0]]
        if isinstance(own, str) and own in _NO_END and not first:
            unended += taken
        else:
            ways += taken
    if isinstance(own, str) and own == token and both[0] is not None:
        ways.append(both[0] + (len(own) if _LETTER.match(own) else 0))
    return _most(ways), _most(unended)


def _most(ways: Iterable[int | None]) -> int | None:
    return max((way for way in ways if way is not None), default=None)


def shown(wording: Wording) -> str:
    """Return a wording as templates are shown, {} for its slots, without the speaker."""
    text = "".join("{}" if isinstance(piece, Slot) else piece for piece in wording.pieces[wording.prefix :])
    return " ".join(text.split())


def similarity(one: str, other: str) -> float:
    """Return how similar two texts are, 0 to 1: the share of words that both have, in the same order."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
