"""Templates: the texts that a call may print, as literals with holes, from the tokens of an expression."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from .tokens import SIGN, TEXT, WORD, Parts, Token

MOST = 8
"""The most alternatives of one message; an expression with more is cut there."""
_PLACEHOLDER = re.compile(r"\{\}")
_FORMAT = re.compile(r"%(?:[0-9]+\$)?[-#+ 0,(]*[0-9]*(?:\.[0-9]+)?([a-zA-Z%])")
_LETTERS = re.compile("[A-Za-z]+")
_SPACE = re.compile(r"\s+")
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Template:
    """A text with holes, which stand for anything."""

    parts: Parts
    """Literals, and None for a hole; two of a kind are never adjacent."""

    @cached_property
    def shown(self) -> str:
        """The template on one line, {} for its holes."""
        return _SPACE.sub(" ", "".join("{}" if part is None else part for part in self.parts)).strip()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its literals."""
        return frozenset(word for part in self.parts if part for word in _LETTERS.findall(part))


def template(parts: Iterable[str | None]) -> Template:
    """Return a template of literals and holes, adjacent ones joined; `{}` in a literal is a hole."""
    joined: list[str | None] = []
    for part in parts:
        for index, literal in enumerate(_PLACEHOLDER.split(part) if part is not None else ("", "")):
            if index and (not joined or joined[-1] is not None):
                joined.append(None)
            if literal and joined and joined[-1] is not None:
                joined[-1] += literal
            elif literal:
                joined.append(literal)
    return Template(tuple(joined))


def unformatted(parts: Parts) -> Parts:
    """Return the parts of a printf format, its conversions as holes."""
    out: list[str | None] = []
    for part in parts:
        if part is None:
            out.append(None)
            continue
        at = 0
        for found in _FORMAT.finditer(part):
            out.append(part[at : found.start()])
            out.append({"%": "%", "n": "\n"}.get(found[1]))
            at = found.end()
        out.append(part[at:])
    return tuple(out)


Known = Mapping[str, Sequence[Parts]]
"""The texts that names of the same file stand for; `name()` is the result of a method."""


def with_arguments(parts: Parts, given: Iterable[Parts | None]) -> Parts:
    """Return the parts of a message, its `{}` replaced by the arguments whose text is known, in order."""
    out: list[str | None] = []
    values = iter(given)
    for part in parts:
        for index, literal in enumerate(_PLACEHOLDER.split(part) if part is not None else ("", "")):
            if index:
                out += (part is not None and next(values, None)) or (None,)
            out.append(literal)
    return tuple(out)


def alternatives(expression: Sequence[Token], known: Known) -> list[Parts]:
    """Return the texts that an expression can have; one whose text is not known is a single hole."""
    chosen = _choices(expression)
    if chosen:
        return [parts for choice in chosen for parts in alternatives(choice, known)][:MOST]
    texts: list[Parts] = [()]
    for operand in _operands(expression):
        values = _values(operand, known)
        texts = [text + value for text in texts for value in values][:MOST]
    return texts


def _choices(expression: Sequence[Token]) -> list[Sequence[Token]]:
    """Return the branches of `c ? a : b` and of `if (c) a else b`, where the whole expression is one."""
    if expression and expression[0].text == "if" and len(expression) > 1 and expression[1].text == "(":
        start = _closing(expression, 1) + 1
        otherwise = next((at for at, token in _top(expression) if token.text == "else" and at > start), None)
        return [expression[start:otherwise], expression[otherwise + 1 :]] if otherwise else []
    mark = next((at for at, token in _top(expression) if token.kind == SIGN and token.text == "?"), None)
    if mark is None:
        return []
    colon = next((at for at, token in _top(expression) if at > mark and token.text == ":"), None)
    return [expression[mark + 1 : colon], expression[colon + 1 :]] if colon else []


def _top(expression: Sequence[Token]) -> Iterable[tuple[int, Token]]:
    """Yield the tokens outside brackets, with their places."""
    depth = 0
    for at, token in enumerate(expression):
        if token.kind == SIGN and token.text in _PAIRS.values():
            depth -= 1
        if depth == 0:
            yield at, token
        if token.kind == SIGN and token.text in _PAIRS:
            depth += 1


def _closing(expression: Sequence[Token], at: int) -> int:
    """Return the place where the bracket that opens at `at` is closed."""
    depth = 0
    for place in range(at, len(expression)):
        token = expression[place]
        if token.kind == SIGN:
            depth += (token.text in _PAIRS) - (token.text in _PAIRS.values())
        if depth == 0:
            return place
    return len(expression) - 1


def _operands(expression: Sequence[Token]) -> list[Sequence[Token]]:
    """Return the operands of +."""
    cuts = [at for at, token in _top(expression) if token.kind == SIGN and token.text == "+"]
    edges = [-1, *cuts, len(expression)]
    return [expression[start + 1 : end] for start, end in pairwise(edges)]


def _values(operand: Sequence[Token], known: Known) -> Sequence[Parts]:
    """Return the texts of an operand: a literal, a name that stands for one, brackets; formats are resolved."""
    hole: list[Parts] = [(None,)]
    if not operand:
        return [()]
    first = operand[0]
    if first.kind == TEXT:
        return _called([first.parts], operand[1:], hole)
    if first.text == "(":
        end = _closing(operand, 0)
        return _called(alternatives(operand[1:end], known), operand[end + 1 :], hole)
    if [token.text for token in operand[:4]] == ["String", ".", "format", "("]:
        return [unformatted(parts) for parts in alternatives(argument(operand, 4), known)]
    if first.kind == WORD and len(operand) == 1:
        return known.get(first.text, hole)
    return known.get(f"{called(operand)}()", hole)


def called(expression: Sequence[Token]) -> str:
    """Return the method of the same file that an expression calls: m of `m(x)` and `this.m(x)`; "" for any other."""
    start = 2 if [token.text for token in expression[:2]] == ["this", "."] else 0
    if len(expression) < start + 3 or expression[start].kind != WORD or expression[start + 1].text != "(":
        return ""
    return expression[start].text if _closing(expression, start + 1) == len(expression) - 1 else ""


def _called(values: Sequence[Parts], rest: Sequence[Token], hole: Sequence[Parts]) -> Sequence[Parts]:
    """Return texts after method calls: some methods keep the text, some fill it, any other is a hole."""
    if not rest:
        return values
    if len(rest) >= 2 and rest[0].text == ".":
        name = rest[1].text
        after = _closing(rest, 2) + 1 if len(rest) > 2 and rest[2].text == "(" else 2
        if name in ("format", "formatted"):
            return _called([unformatted(parts) for parts in values], rest[after:], hole)
        if name in ("stripMargin", "strip", "trim", "stripIndent", "toString"):
            return _called(values, rest[after:], hole)
    return hole


def argument(expression: Sequence[Token], start: int) -> Sequence[Token]:
    """Return the argument that begins at a place: up to a comma or bracket that it does not open."""
    depth = 0
    for at in range(start, len(expression)):
        token = expression[at]
        if token.kind != SIGN:
            continue
        if token.text in _PAIRS:
            depth += 1
        elif token.text in _PAIRS.values():
            if depth == 0:
                return expression[start:at]
            depth -= 1
        elif token.text == "," and depth == 0:
            return expression[start:at]
    return expression[start:]
