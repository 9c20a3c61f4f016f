"""Formats of logs: envelopes (how a line is wrapped) and layouts (how Kafka prints it), two tables; every pair works.

Data: envelopes.toml and layouts.toml, which say what their columns mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from . import toml
from .errors import TableError

Keys = tuple[str, ...]
"""Keys of a value, of which the first present one counts; a dot goes one object deeper, or is part of the key."""

_DAY = "[12][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
_TIMES = {
    "{time}": f"(?P<time>{_DAY}(?:[.,][0-9]{{1,9}})?(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}}))",
    "{nanos}": f"(?P<time>{_DAY}(?:[.][0-9]{{1,2}}|[.][0-9]{{4,9}})?(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}}))",
    "{millis}": f"(?P<time>{_DAY}[.][0-9]{{3}}Z)",
}
ORDERS = ("written", "any")
PARTS = ("time", "level", "logger", "component", "message", "thrown")


@dataclass(frozen=True)
class Parts:
    """The keys of the parts of a line. `levels`: other words for levels. `hides`: levels shown as others."""

    time: Keys = ()
    level: Keys = ()
    logger: Keys = ()
    component: Keys = ()
    message: Keys = ()
    thrown: Keys = ()
    levels: Mapping[str, str] = field(default_factory=dict, hash=False)
    hides: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class LayoutRow:
    """A layout: a log4j `pattern`, or JSON known by `keys` with `parts`."""

    id: str
    meaning: str
    source: str
    example: str
    pattern: str | None = None
    keys: Keys = ()
    parts: Parts = Parts()
    label: Keys = ()

    @property
    def in_seconds(self) -> bool:
        """Check whether its times have no milliseconds."""
        return self.pattern is not None and "ss}" in self.pattern


@dataclass(frozen=True)
class Envelope:
    """An envelope; envelopes.toml explains its columns. It has one of `line`, `keys` and `columns`."""

    id: str
    meaning: str
    source: str
    example: str
    order: str
    line: str | None = None
    keys: Keys = ()
    any: Keys = ()
    each: Keys = ()
    columns: Keys = ()
    text: Keys = ()
    time: Keys = ()
    label: Keys = ()
    first_label: bool = False
    piece: Keys = ()
    newline: bool = False
    skip: str | None = None
    parts: Parts | None = None
    ties: str | None = None
    limits: tuple[int, ...] = ()
    path: bool = False
    heads: bool = False
    loose: bool = False
    quoted: bool = False

    @property
    def kind(self) -> str:
        """The kind of its files: text, json or csv."""
        return "text" if self.line else "csv" if self.columns else "json"

    @property
    def names_writer(self) -> bool:
        """Check whether it names the writer."""
        return bool(self.label) or "(?P<label" in (self.line or "")

    @property
    def pattern(self) -> str:
        """The pattern of a text envelope, for a whole line."""
        pattern = self.line or ""
        for name, time in _TIMES.items():
            pattern = pattern.replace(name, time)
        return pattern


_REQUIRED = ("id", "meaning", "source", "example")
_JSON_LAYOUT = ("time", "level", "logger", "message", "thrown", "levels", "hides")
_ENVELOPE = (
    *("line", "keys", "any", "each", "columns", "text", "time", "label", "first_label", "piece", "newline", "skip"),
    *("parts", "ties", "limits", "path", "heads", "loose", "quoted"),
)


@cache
def layouts() -> Mapping[str, LayoutRow]:
    """All layouts by id, in the order in which they are tried.

    Raises:
        TableError: a row is wrong.
    """
    found = {}
    columns = ("pattern", "keys", "label", *_JSON_LAYOUT)
    for _, row in _rows("layouts.toml", "layout", _REQUIRED, columns, ("pattern", "keys")):
        parts = Parts(**{key: row.pop(key) for key in _JSON_LAYOUT if key in row})
        found[row["id"]] = LayoutRow(**row, parts=parts)
    return found


@cache
def fragments() -> Mapping[str, LayoutRow]:
    """Return the layouts of parts of lines by id, in the order in which they are tried.

    Raises:
        TableError: a row is wrong.
    """
    rows = _rows("layouts.toml", "fragment", _REQUIRED, ("pattern",), ("pattern",))
    return {row["id"]: LayoutRow(**row) for _, row in rows}


@cache
def envelopes() -> Mapping[str, Envelope]:
    """All envelopes by id, in the order in which they are tried.

    Raises:
        TableError: a row is wrong.
    """
    found = {}
    for where, row in _rows(
        "envelopes.toml", "envelope", (*_REQUIRED, "order"), _ENVELOPE, ("line", "keys", "columns")
    ):
        if row["order"] not in ORDERS:
            raise TableError(f"{where}: expected an order of {', '.join(ORDERS)}, got {row['order']}")
        if "parts" in row:
            toml.check_keys(row["parts"], where, (), PARTS)
            row["parts"] = Parts(**{key: _plain(value) for key, value in row["parts"].items()})
        found[row["id"]] = Envelope(**row)
        re.compile(found[row["id"]].pattern)
    return found


def _rows(file: str, table: str, required: Keys, optional: Keys, kinds: Keys) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a table, and what to call each in an error; each has one of the `kinds` of keys."""
    for row in toml.read(toml.FOLDER / file)[table]:
        where = f"{file}: {row.get('id')}"
        toml.check_keys(row, where, required, optional)
        if sum(key in row for key in kinds) != 1:
            raise TableError(f"{where}: expected one of {', '.join(kinds)}")
        yield where, {key: _plain(value) for key, value in row.items()}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
