"""The plain Python parser: a line of text to what it says. The reference that Spark's reading is compared with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from functools import cache, lru_cache
from typing import Any

from .event import Continuation, Event, Irrelevant, Parsed, Unknown, event
from .layouts import KNOWN, LEVELS, Layout
from .wordings import Reader, dispatch, key_of, read, sentence_of

_TIME = re.compile(
    "([12][0-9]{3}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[,.]([0-9]{3})[0-9]*)?(?:Z|[+-][0-9:]+)?"
)
_LOGGER_AT_END = re.compile(r"(.*) \(([A-Za-z_$][A-Za-z0-9_.$-]*)\)", re.DOTALL)
_LEVELS = frozenset(LEVELS)
# What a line without time and level must not contain to be the rest of a longer message: it is a cut line then.
_TAILS = ("(state.change.logger)", "(kafka.", "(org.apache.kafka.", "[Controller id=", "[Broker id=")
CONTINUATION = Continuation()


@lru_cache(maxsize=4096)
def _seconds(date: str, time: str) -> int | None:
    try:
        return int(datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=timezone.utc).timestamp())
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def time_of(text: str) -> int | None:
    """Milliseconds since 1970 of a time as printed, its zone not looked at; None if it is none."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    date, time, millis = match.groups()
    seconds = _seconds(date, time)
    return None if seconds is None else seconds * 1000 + int(millis or 0)


_Compiled = tuple[
    Callable[[str], Any], tuple[str, ...], tuple[Callable[[str], Any], ...], dict[str, Any], Mapping[str, int], int
]


class _Ready:
    """A reader with everything the loop needs, looked up once."""

    __slots__ = (
        "bears",
        "constants",
        "convert",
        "family",
        "fits",
        "levels",
        "match",
        "names",
        "reader",
        "releases",
        "row",
    )

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.row = reader.row.id
        self.bears = reader.row.bears
        self.fits = reader.skeleton.fits
        self.family = reader.row.family or ""
        self.match = re.compile(reader.pattern, re.DOTALL).fullmatch
        self.names = tuple(name for name, _ in reader.groups)
        self.convert = tuple(read(primitive) for _, primitive in reader.groups)
        self.constants = reader.constants
        self.levels = dict(reader.wording.levels)
        self.releases = reader.wording.releases


@cache
def _ready() -> tuple[dict[str, tuple[_Ready, ...]], tuple[_Ready, ...], tuple[_Ready, ...]]:
    by_key, loose, throwables = dispatch()
    return (
        {key: tuple(map(_Ready, found)) for key, found in by_key.items()},
        tuple(map(_Ready, loose)),
        tuple(map(_Ready, throwables)),
    )


def parse_message(
    message: str, logger: str | None, level: str | None = None, ts: int | None = None
) -> Event | Irrelevant | None:
    """What a message says, or None if no row of a logger of that name matches."""
    by_key, loose, _ = _ready()
    sentence = sentence_of(message)
    for ready in by_key.get(key_of(sentence), ()) + loose:
        if logger is not None and not logger.startswith(ready.family):
            continue
        if not ready.bears:
            if ready.fits(message, sentence):
                return Irrelevant(ready.row, level, ts)
            continue
        match = ready.match(message)
        if match is not None:
            return _event(ready, match, level, ts)
    return None


def _event(ready: _Ready, match: re.Match[str], level: str | None, ts: int | None) -> Event:
    values = ready.constants.copy()
    values["level"] = level
    values["ts"] = ts
    values["releases"] = ready.levels.get(level or "", ready.releases)
    for name, convert, text in zip(ready.names, ready.convert, match.groups(), strict=False):
        values[name] = convert(text)
    return event(values)


def parse_throwable(text: str) -> Event | None:
    """The first line of a throwable that the table knows."""
    for ready in _ready()[2]:
        match = ready.match(text)
        if match is not None:
            return _event(ready, match, None, None)
    return None


def _undressed(text: str) -> Parsed | None:
    """A line in the default layout; None if it is not."""
    if text[:2] not in ("[1", "[2") or text[5:6] != "-":
        return None
    close = text.find("] ")
    if close < 0:
        return None
    level, _, rest = text[close + 2 :].partition(" ")
    if level not in _LEVELS:
        return None
    ts = time_of(text[1:close])
    rest = rest.lstrip(" ")
    tail = _LOGGER_AT_END.fullmatch(rest)
    if tail is None:
        return Unknown(level, ts, None, rest)
    message, logger = tail.groups()
    return parse_message(message, logger, level, ts) or Unknown(level, ts, logger, message)


def parse_line(text: str, layout: Layout | None = None) -> Parsed:
    """What one line says. `text` has no line end; trailing carriage returns are not looked at.

    Without a layout the default one is tried, then those seen in other people's logs (layouts.KNOWN).
    """
    text = text.rstrip("\r")
    if layout is None:
        found = _undressed(text)
        if found is not None:
            return found
        if not text or text[0] in " \t":
            return CONTINUATION
        layouts: tuple[Layout, ...] = KNOWN if text[:1] in "[12" or "] " in text else ()
    else:
        layouts = (layout,)
    for known in layouts:
        normal = known.normal(text)
        if normal is not None:
            found = _undressed(normal)
            if found is not None:
                return found
    return _bare(text)


def _bare(text: str) -> Parsed:
    """A line without time and level."""
    if not text or text[0] in " \t":
        return CONTINUATION
    found = parse_throwable(text)
    if found is not None:
        return found
    if any(tail in text for tail in _TAILS):
        return Unknown(None, None, None, text)
    return CONTINUATION
