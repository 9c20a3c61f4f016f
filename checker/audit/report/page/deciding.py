"""The fields of a line that decide a finding: those that its rule reads, where they stand in the text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from .....model.evaluate import name_of
from .....specs.lines import Primitive
from .....traces.events.event import FIELDS, Event
from .....traces.events.parse import parse_line
from .....traces.events.wordings import Reader, read, readers
from ...rules.catalogue import rules

Piece = tuple[str, str]
"""A part of a line and how it is marked: "deciding", "about" (the entity), or "" for the rest."""
_ABOUT = ("topic", "partition")
_SEEN_ELSEWHERE = (
    *("before_", "known_", "last_", "sent_", "received_", "cached_", "taken_", "printed_", "asked_", "fetch_"),
    *("first_", "other_", "assigned_"),
)
"""Beginnings of the names of columns that hold a field as another line shows it."""
_RECORD = {
    "leader": ("leader",),
    "isr": ("isr",),
    "replicas": ("replicas",),
    "adding": ("addingReplicas",),
    "removing": ("removingReplicas",),
    "elr": ("eligibleLeaderReplicas",),
    "last_known": ("lastKnownElr",),
    "recovering": ("leaderRecoveryState",),
    "leader_epoch": ("leaderEpoch",),
    "partition_epoch": ("partitionEpoch",),
    "inactive": ("fenced", "inControlledShutdown"),
}
"""Fields of records of metadata logs, by the column that is made of them."""
_VALUE = re.compile(r'"(\w+)": (\[[^\]]*\]|[^\s,}\]]+)')


def pieces(text: str, rule: str) -> tuple[Piece, ...]:
    """Return a line or record in parts, those marked that decide a finding of a rule."""
    found = sorted({*_in_line(text, _deciding(rule)), *_in_record(text, _columns(rule))})
    return tuple(_cut(text, found))


def _cut(text: str, spans: Sequence[tuple[int, int, str]]) -> Iterator[Piece]:
    at = 0
    for begin, end, kind in spans:
        if begin >= at and end > begin:
            if begin > at:
                yield text[at:begin], ""
            yield text[begin:end], kind
            at = end
    if at < len(text):
        yield text[at:], ""


@cache
def _columns(rule: str) -> frozenset[str]:
    """Return the columns that a rule reads, each by the name of the field that it holds."""
    names = {name_of(leaf) for leaf in rules()[rule].reads}
    bare = {name[len(start) :] for name in names for start in _SEEN_ELSEWHERE if name.startswith(start)}
    return frozenset(names | bare)


@cache
def _deciding(rule: str) -> frozenset[str]:
    return _columns(rule) & set(FIELDS)


@cache
def _readers() -> Mapping[str, Sequence[tuple[Reader, re.Pattern[str]]]]:
    found: dict[str, list[tuple[Reader, re.Pattern[str]]]] = defaultdict(list)
    for reader in readers():
        if reader.row.kept:
            found[reader.row.id].append((reader, re.compile(reader.pattern, re.DOTALL)))
    return found


def _in_line(text: str, deciding: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where fields stand in a line: by the wording of which the parser has read these very values."""
    event = parse_line(text)
    if not isinstance(event, Event):
        return
    for reader, pattern in _readers().get(event.row, ()):
        match = pattern.search(text)
        if match is not None and _is_of(reader, match, event):
            for number, (field, _) in enumerate(_kept(reader), 1):
                if field in deciding or field in _ABOUT:
                    yield (*_shown(text, *match.span(number)), "deciding" if field in deciding else "about")
            return


def _shown(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the span of a value; one that is empty is shown by its brackets."""
    empty = begin == end and text[begin - 1 : begin + 1] in ("[]", "()", "{}")
    return (begin - 1, end + 1) if empty else (begin, end)


def _kept(reader: Reader) -> list[tuple[str, Primitive]]:
    return [(field, primitive) for field, primitive in reader.groups if field in FIELDS]


def _is_of(reader: Reader, match: re.Match[str], event: Event) -> bool:
    own = zip(_kept(reader), match.groups(), strict=True)
    return all(read(primitive)(text) == getattr(event, field) for (field, primitive), text in own)


def _in_record(text: str, columns: Collection[str]) -> Iterator[tuple[int, int, str]]:
    names = {name for column, fields in _RECORD.items() if column in columns for name in fields}
    if "_RECORD {" in text[:80]:
        for match in _VALUE.finditer(text):
            if match[1] in names:
                yield (*match.span(2), "deciding")
