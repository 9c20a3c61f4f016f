"""Processes that ended without a word: the last line that each printed, read again from its file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from ....traces.events.layouts import KNOWN, Layout
from ....traces.events.parse import time_of
from ....traces.place import Place
from ..findings.excerpts import Texts, Wanted
from ..findings.happened import Happened

LOST = "process-lost"
_TIME = re.compile(r"\[([^\]]+)\] ")
"""The time of a line in the default layout."""
_LINES = 300
"""The most lines before a start among which the last line of the process before it is looked for."""
_FIRST = "kafka.Log4jController"
"""A word of the first line of a process since 1.0. Source: Log4jControllerRegistration, which Kafka.main loads."""
_STARTING = 1_000
"""The milliseconds in which a process without such a line has printed those before the one that shows its start."""


def with_last_lines(
    entries: Iterable[Happened], layout: Layout | None, texts_of: Callable[[Wanted], Texts]
) -> list[Happened]:
    """Return the entries, the loss of a process from its last line up to the start of the next.

    A loss whose last line is not found has no time: nothing can be ordered by it.
    """
    own = [*entries]
    wanted: Wanted = defaultdict(set)
    for each in own:
        if _is_restart(each):
            start = each.places[0]
            wanted[start.file] |= {(number, start.part) for number in _before(start)}
    texts = texts_of(wanted) if wanted else {}
    return [_since_last(each, layout, texts) if _is_restart(each) else each for each in own]


def _is_restart(each: Happened) -> bool:
    """Return whether a later start shows the loss; of any other the time is already that of the last line."""
    return each.what == LOST and len(each.places) > 1 and each.places[0].line is not None


def _before(start: Place) -> range:
    line = start.line or 1
    return range(max(line - _LINES, 1), line)


def _since_last(each: Happened, layout: Layout | None, texts: Texts) -> Happened:
    start, lines = each.places[0], texts.get(each.places[0].file, {})
    own = [(number, lines.get((number, start.part), "")) for number in reversed(_before(start))]
    begins = next((number for number, text in own if _FIRST in text), None)
    for number, text in own:
        ts = _time(text, layout)
        if ts is None or each.since is None:
            continue
        if number < begins if begins is not None else ts < each.since - _STARTING:
            place = Place(start.file, line=number, part=start.part)
            return replace(each, since=ts, until=each.since, reason=None, places=(place, start))
    return replace(each, since=None)


def _time(text: str, layout: Layout | None) -> int | None:
    known = KNOWN if layout is None else (layout,)
    for normal in (text, *(found for each in known if (found := each.normal(text)) is not None)):
        match = _TIME.match(normal)
        if match is not None and (ts := time_of(match[1])) is not None:
            return ts
    return None
