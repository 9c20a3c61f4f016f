"""The plain Python parser from a line of text to its content; Spark's reading is compared with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from functools import cache, lru_cache

from ...specs.lines import Slot
from ...specs.lines.classes import known_name
from ...specs.machines import LEVELS
from .event import Continuation, Event, Irrelevant, Parsed, Unknown, event
from .layouts import KNOWN, NO_LOGGER, WITH_THREAD, Layout
from .wordings import SEPARATORS, Reader, Test, bucket, dispatch, key_of, read, sentence_of

TIME = "([12][0-9]{3}-[0-9]{2}-[0-9]{2}) ([0-9]{2}:[0-9]{2}:[0-9]{2}),([0-9]{3})"
"""A time as log4j prints it by default: date, time of day, milliseconds."""
_TIME = re.compile(TIME)
_LEVELS = frozenset(LEVELS)
# A line without time and level that contains one of these is a cut line, not the rest of a longer message.
TAILS = ("(state.change.logger)", "(kafka.", "(org.apache.kafka.", "[Controller id=", "[Broker id=")
_ENDS = tuple(tail for tail in TAILS if tail.startswith("("))
STUMP = r"\[?[12][0-9]{3}-[0-9]{2}-[0-9]{2}.{0,21}|\[(?:[12][0-9-]{0,9})?|\x00.*"
"""The rest of a line that was cut within its time and level, or that never reached the disk."""
_STUMP = re.compile(STUMP, re.DOTALL)
_SPLICED = re.compile(
    r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\]? +\[?(?:"
    + "|".join(LEVELS)
    + ")[] ]"
)
_HEADS = ("[2018-09-01 10:00:00,000] INFO ", "2018-09-01 10:00:00,000 INFO ")
"""Beginnings of lines; a slot must contain one of these to contain another line."""
CONTINUATION = Continuation()


def is_spliced(message: str) -> bool:
    """Return True if another line begins within a message, with its time and its level: the rest of the message is
    lost."""
    return _SPLICED.search(message) is not None


@cache
def _may_hold_a_line(inner: str) -> bool:
    """Return True if a slot may, by its pattern, contain another line."""
    return any(re.fullmatch(inner, head) for head in _HEADS)


@lru_cache(maxsize=4096)
def _seconds(date: str, time: str) -> int | None:
    try:
        return int(datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=timezone.utc).timestamp())
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def time_of(text: str) -> int | None:
    """Return the milliseconds since 1970 of a time as log4j prints it by default, or None if the text is not such a
    time."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    date, time, millis = match.groups()
    seconds = _seconds(date, time)
    return None if seconds is None else seconds * 1000 + int(millis)


class _Ready:
    """A reader with everything that the loop needs, looked up once.

    Its pattern is compiled when a line is first matched, because most wordings belong to releases other than the log's.
    """

    __slots__ = (
        *(
            "bears",
            "begins",
            "kept",
            "constants",
            "convert",
            "ends",
            "levels",
            "match",
            "names",
            "open",
            "passes",
            "releases",
        ),
        *("row", "wrong", "_reader"),
    )
    match: Callable[[str], re.Match[str] | None]

    def __init__(self, reader: Reader, test: Test) -> None:
        self._reader = reader
        self.row = reader.row.id
        self.bears = reader.row.bears
        self.kept = reader.row.kept
        self.passes = test.passes
        self.begins = reader.row.begins
        self.ends = reader.literals[3].endswith(")")
        self.match = self._first_match
        self.names = tuple(name for name, _ in reader.groups)
        self.convert = tuple(read(primitive) for _, primitive in reader.groups)
        self.constants = reader.constants
        self.levels = dict(reader.wording.levels)
        self.releases = reader.wording.releases
        self.wrong = reader.wrong
        slots = (piece.primitive.inner for piece in reader.wording.pieces if isinstance(piece, Slot))
        self.open = self.kept and any(map(_may_hold_a_line, slots))

    def _first_match(self, text: str) -> re.Match[str] | None:
        self.match = re.compile(self._reader.pattern, re.DOTALL).fullmatch
        return self.match(text)


_Bucket = tuple[_Ready, ...]


def _bucket(found: Iterable[Reader]) -> _Bucket:
    return tuple(_Ready(reader, test) for reader, test in bucket(found))


class _ByKey(dict[str, _Bucket]):
    """Wordings by the first word of the sentence, each made when the first line begins with that word."""

    def __missing__(self, key: str) -> _Bucket:
        found = dispatch().by_key.get(key)
        if found is None:
            return _loose()  # and not kept: a log may begin its lines with any word
        self[key] = _bucket(found)
        return self[key]


_BY_KEY = _ByKey()


@cache
def _loose() -> _Bucket:
    return _bucket(dispatch().loose)


@cache
def _openings() -> _Bucket:
    return _bucket(dispatch().opening)


@cache
def _throwables() -> _Bucket:
    return _bucket(dispatch().throwables)


def compile_patterns() -> None:
    """Compile the patterns of all wordings before any line is read, for processes from which others are forked."""
    for key in dispatch().by_key:
        _BY_KEY[key]
    for made in (_loose, _openings, _throwables):
        made()


@lru_cache(maxsize=4096)
def _of_logger(logger: str) -> str | None:
    """Return the row for all other lines of a logger, by the name that the table has for it."""
    return next((row.id for name, row in dispatch().by_logger if f"{logger}.".startswith(name)), None)


def parse_message(message: str, logger: str, level: str, ts: int | None = None) -> Event | Irrelevant | Unknown:
    """Return the content of a message; it is unknown if no row of a logger with that name matches."""
    sentence = sentence_of(message)
    known = known_name(logger)
    dotted = f"{known}."
    only = wrong = None
    for ready in _BY_KEY[key_of(sentence)]:
        if only is not None and ready.row != only:
            continue
        if ready.passes(message, sentence) and (dotted.startswith(ready.begins) or logger == NO_LOGGER):
            if not ready.kept:
                return Irrelevant(ready.row, level, ts)
            match = ready.match(message)
            found = None if match is None else _event(ready, match, level, ts)
            if found is not None:
                return found
            if ready.bears:
                only, wrong = ready.row, wrong or ready.wrong(message)
    row = _of_logger(known) if only is None else None
    return Unknown(level, ts, logger, message, wrong) if row is None else Irrelevant(row, level, ts)


def _opening(message: str, level: str, ts: int | None) -> Irrelevant | None:
    """Return the content of the first line of a message of several lines; no such line bears on a rule."""
    sentence = sentence_of(message)
    return next((Irrelevant(ready.row, level, ts) for ready in _openings() if ready.passes(message, sentence)), None)


def _event(ready: _Ready, match: re.Match[str], level: str | None, ts: int | None) -> Event | None:
    """Return the event, or None if Kafka cannot print one of the texts, or if one of them contains another line."""
    if ready.open and is_spliced(match.string):
        return None
    values = ready.constants.copy()
    values["level"] = level
    values["ts"] = ts
    values["releases"] = ready.levels.get(level or "", ready.releases)
    for name, convert, text in zip(ready.names, ready.convert, match.groups(), strict=False):
        value = values[name] = convert(text)
        if value is None:
            return None
    return event(values)


def _separated(text: str) -> bool:
    return SEPARATORS[0] in text or SEPARATORS[1] in text


def parse_throwable(text: str, *, tail: bool) -> Event | Unknown | None:
    """Return the content of the first line of a throwable that the table has; it is unknown if one of its words is
    wrong.

    `tail`: the line ends with the name of a logger. No throwable does, but the last line of a message of several lines
    does.
    """
    sentence = sentence_of(text)
    for ready in _throwables():
        if (ready.ends or not tail) and ready.passes(text, sentence):
            match = ready.match(text)
            if match is None:
                return None
            return _event(ready, match, None, None) or Unknown(message=text, wrong=ready.wrong(text))
    return None


def _plain(text: str) -> bool:
    """Return True if a line looks exactly like the default layout: time, level and one space."""
    return text[:2] in ("[1", "[2") and text[5:6] == "-" and text[20:21] == "," and text[24:26] == "] "


def is_default(text: str) -> bool:
    """Return True if a line begins as the default layout does."""
    level = text[26:32].partition(" ")[0]
    return _plain(text) and level in _LEVELS and not _is_padded(text[27 + len(level) :])


def _is_padded(rest: str) -> bool:
    """Return True if the level and its space are followed by more spaces that pad the level; an empty message has
    none."""
    return rest[:1] == " " and rest.rfind(" (") != 0


def _undressed(text: str) -> Parsed | None:
    """Return the content of a line in the default layout, or None if it is not in that layout."""
    if not _plain(text):
        return None
    level, _, rest = text[26:32].partition(" ")
    if level not in _LEVELS:
        return None
    rest = text[27 + len(level) :]
    if _is_padded(rest):
        return None
    ts = time_of(text[1:24])
    message, named, logger = rest.rpartition(" (")
    if not named or logger[-1:] != ")" or " " in logger or logger[:-1].isdigit():
        return _opening(rest, level, ts) or Unknown(level, ts, None, rest)
    logger = logger[:-1]
    return Unknown(level, ts, logger, message) if _separated(text) else parse_message(message, logger, level, ts)


def parse_line(text: str, layout: Layout | None = None) -> Parsed:
    """Return the content of one line. `text` has no line end; trailing carriage returns are ignored.

    Without a layout, the default one is tried first and then the others of specs/layouts.toml (layouts.KNOWN).
    """
    text = text.rstrip("\r")
    if layout is None:
        found = _undressed(text)
        if found is not None:
            return _with_thread(text) or found
        if not text or text[0] in " \t":
            return CONTINUATION
        layouts: tuple[Layout, ...] = KNOWN if text[0] in "[12" or "] " in text else ()
    else:
        layouts = (layout,)
    for known in layouts:
        found = _in_layout(known, text)
        if found is not None:
            return found
    return _bare(text)


def _in_layout(known: Layout, text: str) -> Parsed | None:
    """Return the content of a line in a layout, or None if it is not in it. Trailing spaces belong to the message, or
    to no part."""
    understood: Parsed | None = None
    for shown in dict.fromkeys((text, text.rstrip(" "))):
        normal = known.normal(shown)
        found = None if normal is None else _undressed(normal)
        if found is not None and not isinstance(found, Unknown):
            return found
        understood = understood or found
    if known.short and isinstance(understood, Unknown):  # The rest of the logger's name may be a class below it.
        again = parse_message(understood.message, NO_LOGGER, understood.level or "INFO", understood.ts)
        return understood if isinstance(again, Unknown) else again
    return understood


def _with_thread(text: str) -> Parsed | None:
    """Return the content of a line in the default layout that ends with its thread, or None if it is not such a
    line."""
    normal = WITH_THREAD.normal(text) if text[-1] == "]" else None
    return None if normal is None else _undressed(normal)


def _bare(text: str) -> Parsed:
    """Return the content of a line without time and level."""
    if not text or text[0] in " \t":
        return CONTINUATION
    is_tail = text.endswith(")") and text[text.rfind("(") :].startswith(_ENDS)
    found = None if _separated(text) else parse_throwable(text, tail=is_tail)
    if found is not None:
        return found
    if any(tail in text for tail in TAILS) or _STUMP.fullmatch(text):
        return Unknown(message=text)
    return CONTINUATION
