"""The records of a file, each with its place: lines, JSON objects or rows of a table."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..limits import DOCUMENT
from ..sources.text import LONGEST, MARK

LARGEST_DOCUMENT = DOCUMENT.most
"""The largest number of bytes of JSON other than one object per line; they are kept in memory."""
_RETRIES = 100
"""Number of times that reading resumes after a part that is not JSON."""
_DECODER = json.JSONDecoder(strict=False)
"""A decoder that accepts a literal tab within a text."""
_SPACE = " \t\r\n,"
_BETWEEN = ",;\t"
"""Separators of the columns of a table; the first applies if the first row does not show one."""
BAD_JSON = (ValueError, RecursionError)


class Record(NamedTuple):
    """A record of a file."""

    line: int
    """The line where it begins, from 1."""
    value: Any
    """A text or an object."""
    unread: bool = False
    """It is not JSON: `value` is the text of a line, or None for the rest of a document."""


class TooLargeError(ValueError):
    """A JSON document that does not fit; the message says what to do."""


def loaded(text: str) -> Any:
    """Return the object of a line of JSON, or None if the line is not one."""
    if text[:1] != "{" and text.lstrip()[:1] != "{":
        return None
    try:
        value = _DECODER.decode(text)
    except BAD_JSON:
        return None
    return value if isinstance(value, Mapping) else None


def json_lines(lines: Iterable[str]) -> Iterator[Record]:
    """Yield one object per line. A line that is not one remains a text."""
    for number, text in enumerate(lines, start=1):
        value = loaded(text)
        if value is not None:
            yield Record(number, value)
        elif text.strip():
            yield Record(number, text, unread=True)


def document(blocks: Iterable[bytes], path: Sequence[str] = ()) -> Iterator[Record]:
    """Yield the objects of JSON that spans several lines, or of a list.

    An object that has a list on the `path` (Envelope.each) gives the members of the first such list, one by one.

    Raises:
        TooLargeError: there are more than LARGEST_DOCUMENT bytes.
    """
    kept, size = [], 0
    for block in blocks:
        kept.append(block)
        size += len(block)
        if size > LARGEST_DOCUMENT:
            raise TooLargeError(
                f"expected one JSON object per line, got a document of more than {LARGEST_DOCUMENT >> 20} MB; write "
                "one object per line (jq -c '.[]')"
            )
    yield from _Document(b"".join(kept).decode("utf-8", "replace").lstrip(MARK), path)


class _Document:
    def __init__(self, text: str, path: Sequence[str]) -> None:
        self._text, self._path = text, path
        self._at, self._counted, self._line = 0, 0, 1

    def __iter__(self) -> Iterator[Record]:
        retries = 0
        while self._skip():
            begins, line = self._at, self._here()
            try:
                char = self._text[self._at]
                if char in "[]":
                    self._at += 1
                elif char == "{" and self._path:
                    yield from self._members(self._path, alone=False)
                else:
                    yield Record(line, self._value())
            except BAD_JSON:
                retries += 1
                self._at = max(self._at, begins)
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 or retries > _RETRIES else end
                yield Record(line, None, unread=True)

    def _skip(self) -> bool:
        """Go to the next value; return False if there is none."""
        text, at = self._text, self._at
        while at < len(text) and text[at] in _SPACE:
            at += 1
        self._at = at
        return at < len(text)

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _value(self) -> Any:
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _members(self, path: Sequence[str], *, alone: bool = True) -> Iterator[Record]:
        """Yield, for an object, the members of the first list on the path, or the object itself if it has no such list.

        Unless `alone`, each has the part of the object before it.
        """
        line = self._here()
        others: dict[str, Any] = {}
        found = False
        self._at += 1
        while self._skip() and self._text[self._at] != "}":
            key = self._key()
            opens = self._text[self._at : self._at + 1] if key == path[0] else ""
            if opens == "{" and len(path) > 1:
                found = True
                yield from self._members(path[1:])
                continue
            if opens != "[":
                others[key] = self._value()
                continue
            found = True
            self._at += 1
            for at, value in self._listed(path):
                yield Record(at, value if alone else {**others, key: [value]})
            self._at += 1
        if self._at >= len(self._text):
            raise ValueError("expected the end of an object")
        self._at += 1
        if not found:
            yield Record(line, others)

    def _key(self) -> str:
        key = self._value()
        self._skip()
        if self._text[self._at : self._at + 1] != ":" or not isinstance(key, str):
            raise ValueError("expected a key and a colon")
        self._at += 1
        self._skip()
        return key

    def _listed(self, path: Sequence[str]) -> Iterator[tuple[int, Any]]:
        """Yield the members of a list and the lines where they begin; for a member that is cut, the complete part of
        its own list."""
        while self._skip() and self._text[self._at] != "]":
            here, begins = self._here(), self._at
            try:
                value = self._value()
            except BAD_JSON:
                if len(path) < 2 or self._text[begins] != "{":
                    raise
                self._at = begins
                yield from ((record.line, record.value) for record in self._members(path[1:], alone=False))
            else:
                yield here, value


def table(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the rows of a CSV file as objects with the names of its first row; a row may span several lines."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    rest = iter(lines)
    head = next(rest, "")
    between = max(_BETWEEN, key=head.count)
    reader = csv.reader((line + "\n" for line in chain([head], rest)), strict=False, delimiter=between)
    names: list[str] = []
    begins = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield Record(begins, "", unread=True)
            begins = reader.line_num + 1
            continue
        if not names:
            names = [name.strip() for name in cells]
        elif cells:
            yield Record(begins, dict(zip(names, cells, strict=False)), unread=len(cells) < len(names))
        begins = reader.line_num + 1
