"""The reasons of what happened, from the text of the lines that say so: read again, when few are left."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ....specs.lines import Row as LineRow
from ....traces.events.event import Event
from ....traces.events.layouts import Layout
from ....traces.events.parse import parse_line, parse_throwable
from ....traces.place import Place
from ..files.file import LogFile
from ..findings.excerpts import Texts, Wanted
from .happened import Happened
from .moments import saying

_AFTER = 3
"""The lines after one within which its throwable begins: blank ones may stand between."""
_FIELD = re.compile(r"\{([a-z_]+)\}")
_LONGEST = 500


def with_reasons(
    entries: Sequence[Happened],
    files: Mapping[int, LogFile],
    layout: Layout | None,
    texts_of: Callable[[Wanted], Texts],
) -> list[Happened]:
    """Return the entries with the reasons that their lines, and the throwables after them, print."""
    wanted: Wanted = defaultdict(set)
    around = {each.at: _places(each.at, files) for each in entries if each.at is not None}
    for places in around.values():
        for place in places:
            if place.line is not None:
                wanted[place.file].add((place.line, place.part))
    texts = texts_of(wanted) if wanted else {}
    return [each if each.at is None else _with_reason(each, around[each.at], texts, layout) for each in entries]


def _places(at: tuple[int, int], files: Mapping[int, LogFile]) -> list[Place]:
    file, line = files[at[0]], at[1]
    return [file.place(number) for number in range(line, line + _AFTER + 1)]


def _with_reason(each: Happened, places: Sequence[Place], texts: Texts, layout: Layout | None) -> Happened:
    lines = [texts.get(place.file, {}).get((place.line or 0, place.part), "") for place in places]
    event = parse_line(lines[0], layout)
    row = saying().get(event.row) if isinstance(event, Event) else None
    said = None if row is None or not isinstance(event, Event) else in_words(row, event)
    thrown = _thrown(lines[1:], layout)
    reason = ": ".join(part for part in (said, thrown) if part)
    known = "; ".join(part for part in (each.reason, reason) if part)
    return replace(each, reason=known[:_LONGEST] or None, at=None)


def in_words(row: LineRow, event: Event) -> str | None:
    """Return the reason of a line: its row's text with the fields of the line."""
    if row.reason is None:
        return None
    return _FIELD.sub(lambda match: _shown(match[1], event), row.reason)


def _shown(name: str, event: Event) -> str:
    value = _MADE[name](event) if name in _MADE else getattr(event, name)
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else "" if value is None else str(value)


def _behind(event: Event) -> str:
    """Return the replicas that leave an ISR, each with the number of records that it lacks, where they are printed."""
    lagging, end = event.lagging or (), event.log_end_offset
    if lagging and end is not None:
        pairs = zip(lagging[::2], lagging[1::2], strict=False)
        return ", ".join(f"{replica} ({max(end - at, 0)} records behind)" for replica, at in pairs)
    return ", ".join(map(str, sorted({*(event.old_isr or ())} - {*(event.isr or ())})))


def _cut(event: Event) -> str:
    """Return the offsets that a log loses below its high watermark."""
    return offsets(event.offset, event.high_watermark)


def offsets(first: int | None, end: int | None) -> str:
    """Return `31000 to 57999 (27000 records)`."""
    return "" if first is None or end is None else f"{first} to {end - 1} ({end - first} records)"


_MADE: Mapping[str, Callable[[Event], str]] = {"behind": _behind, "cut": _cut}
"""Texts that are made of several fields, by the names that reasons use."""


def _thrown(lines: Iterable[str], layout: Layout | None) -> str | None:
    """Return the class and the message of the throwable that follows a line."""
    for text in lines:
        if not text.strip():
            continue
        found = parse_throwable(text.strip(), tail=False)
        if not isinstance(found, Event) or found.error is None:
            return None
        _, _, message = text.strip().partition(": ")
        return ": ".join(part for part in (found.error.rpartition(".")[2], message) if part)
    return None
