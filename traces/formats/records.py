"""The records that a file is made of: lines, JSON objects, rows of a table; each with where it begins."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..sources.text import LONGEST, MARK

LARGEST_DOCUMENT = 1 << 28
"""The most bytes that are read of JSON that is not one object a line; they are in memory."""
_RETRIES = 100
"""How often reading goes on behind what is no JSON."""
_DECODER = json.JSONDecoder(strict=False)
"""Within a text it takes a tab as it stands."""
_SPACE = " \t\r\n,"
_BETWEEN = ",;\t"
"""What stands between the columns of a table; the first is meant where the first row does not tell."""
BAD_JSON = (ValueError, RecursionError)


class Record(NamedTuple):
    """`value` is a text or an object. `line` is where it begins, from 1; `unread`: it is what is no JSON, the text of a
    line, or None for what is left of a document."""

    line: int
    value: Any
    unread: bool = False


class TooLargeError(ValueError):
    """A JSON document that does not fit; the message says what to do."""


def loaded(text: str) -> Any:
    """The object of a line of JSON; None if it is none."""
    if text[:1] != "{" and text.lstrip()[:1] != "{":
        return None
    try:
        value = _DECODER.decode(text)
    except BAD_JSON:
        return None
    return value if isinstance(value, Mapping) else None


def json_lines(lines: Iterable[str]) -> Iterator[Record]:
    """An object a line. What is none stays the text of its line."""
    for number, text in enumerate(lines, start=1):
        value = loaded(text)
        if value is not None:
            yield Record(number, value)
        elif text.strip():
            yield Record(number, text, unread=True)


def document(blocks: Iterable[bytes], path: Sequence[str] = ()) -> Iterator[Record]:
    """The objects of JSON that is written over several lines, or of a list.

    Of an object those of the first list on the `path` (Envelope.each), one by one, if it has one.

    Raises:
        TooLargeError: there are more than LARGEST_DOCUMENT bytes.
    """
    kept, size = [], 0
    for block in blocks:
        kept.append(block)
        size += len(block)
        if size > LARGEST_DOCUMENT:
            raise TooLargeError(
                f"expected one JSON object a line, got a document of more than {LARGEST_DOCUMENT >> 20} MB; write one a"
                " line (jq -c '.[]')"
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
        """Go to the next value; whether there is one."""
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
        """An object: the members of the first list on the path, or itself if it has no such list.

        Unless `alone`, each with what stands before it in the object.
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
        """The members of a list and the lines where they begin; of one that is cut, what is there of its own list."""
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
    """The rows of a CSV file as objects with the names of its first row; a row may be several lines."""
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
