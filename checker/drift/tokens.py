"""Tokens of Java and Scala, as far as calls of loggers need them: words, texts with their holes, and signs.

One forward pass over the file. Every pattern is deterministic, so a file costs time linear in its size; the same pass
skips interpolated code, to a depth that no source has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Parts = tuple[str | None, ...]
"""Literal texts, and None for whatever is printed between them."""

WORD, TEXT, SIGN = "word", "text", "sign"
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a text or a sign of a source file."""

    kind: str
    text: str
    """The word or sign; "" for a text."""
    at: int
    """The token's place in the file."""
    parts: Parts = ()
    """The literals and holes of a text."""


_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9][0-9A-Za-z_.]*")
_PLAIN = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_CHARACTER = re.compile(r"'(?:\\u[0-9a-fA-F]{4}|\\.|[^'\\\n])'")
_INTERPOLATED = re.compile(r'[^"$\\]+|\\.|\$\$|\$[A-Za-z_][A-Za-z0-9_]*|\$\{|"|\$|\\', re.DOTALL)
_FORMATTED = re.compile(r"%[-#+ 0,(]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]")
_BLANK = re.compile(r"\s+")
_INDENTED = re.compile(r"\n[ \t]*")
_MARGIN = re.compile(r"\n[ \t]*\|")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "\n": ""}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


def tokens(text: str, *, scala: bool) -> list[Token]:
    """Return all tokens of a file, without comments and characters. A text that never ends is a sign."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        token, at = _next(text, at, scala, 0)
        if token:
            found.append(token)
    return found


def _next(text: str, at: int, scala: bool, depth: int) -> tuple[Token | None, int]:
    """Return the token at a place, None where there is none, and the place after it."""
    sign = text[at]
    if blank := _BLANK.match(text, at):
        return None, blank.end()
    if word := _WORD.match(text, at):
        if scala and text.startswith('"', word.end()) and word.group() in ("s", "f", "raw"):
            return _interpolated(text, at, word.end(), word.group(), depth)
        return Token(WORD, word.group(), at), word.end()
    if sign == "/" and (end := _comment(text, at)):
        return None, end
    if sign == '"':
        return _literal(text, at, scala)
    if sign == "'" and (character := _CHARACTER.match(text, at)):
        return None, character.end()
    return Token(SIGN, sign, at), at + 1


def _comment(text: str, at: int) -> int:
    """Return the end of a comment that begins here, 0 if none begins."""
    if text.startswith("//", at):
        end = text.find("\n", at)
        return end if end >= 0 else len(text)
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return end + 2 if end >= 0 else len(text)
    return 0


def _literal(text: str, at: int, scala: bool) -> tuple[Token, int]:
    if text.startswith('"""', at):
        end = text.find('"""', at + 3)
        if end < 0:
            return Token(SIGN, '"', at), len(text)
        inner = text[at + 3 : end]
        return Token(TEXT, "", at, (_margin(inner) if scala else _block(inner),)), end + 3
    plain = _PLAIN.match(text, at)
    if not plain:
        return Token(SIGN, '"', at), at + 1
    return Token(TEXT, "", at, (_unescaped(plain.group(1)),)), plain.end()


def _interpolated(text: str, at: int, quote: int, how: str, depth: int) -> tuple[Token | None, int]:
    """Return a text of Scala with interpolated values, s"..." or s-three-quotes."""
    closing = '"""' if text.startswith('"""', quote) else '"'
    parts: list[str | None] = []
    place = quote + len(closing)
    while place < len(text):
        if text.startswith(closing, place):
            return Token(TEXT, "", at, _finished(parts, how, closing)), place + len(closing)
        piece = _INTERPOLATED.match(text, place)
        assert piece is not None  # only the last two signs of the pattern remain
        shown, place = piece.group(), piece.end()
        if shown == "${":
            parts.append(None)
            place = _after_brace(text, place, depth + 1)
        elif shown == "$$":
            parts.append("$")
        elif shown.startswith("$") and len(shown) > 1:
            parts.append(None)
        else:
            parts.append(shown if closing == '"""' or how == "raw" else _unescaped(shown))
    return Token(SIGN, '"', at), len(text)


def _finished(parts: list[str | None], how: str, closing: str) -> Parts:
    if closing == '"""':
        parts = [None if part is None else _margin(part) for part in parts]
    if how == "f":
        # The text after a value may be its format: f"$rate%.2f".
        after = [None, *parts[:-1]] if parts else []
        parts = [
            _FORMATTED.sub("", part, count=1) if part and before is None and _FORMATTED.match(part) else part
            for before, part in zip(after, parts, strict=True)
        ]
    return tuple(parts)


def _after_brace(text: str, at: int, depth: int) -> int:
    """Return the place after the brace that closes interpolated code."""
    if depth > _DEEPEST:
        return len(text)
    opened = 1
    while at < len(text) and opened:
        token, at = _next(text, at, True, depth)
        if token and token.kind == SIGN:
            opened += {"{": 1, "}": -1}.get(token.text, 0)
    return at


def _margin(text: str) -> str:
    """Return a text of several lines as stripMargin leaves it; unchanged without margins."""
    return _MARGIN.sub("\n", text)


def _block(text: str) -> str:
    """Return a text block of Java, without its indentation."""
    return _unescaped(_INDENTED.sub("\n", text).removeprefix("\n"))


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]), text)
