"""The events of a line, and its counts: the same for every engine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....specs.lines import STATE_CHANGE, rows
from ....traces.events.event import Continuation, Event, Irrelevant, Unknown
from ....traces.events.layouts import Layout
from ....traces.events.parse import parse_line
from .coverage import MOST_BROKEN, OWN, TEMPLATE_LENGTH, Coverage, Kind
from .listed import listed
from .suspects import begins_like_a_role, is_no_text

_SEVERE = ("ERROR", "FATAL")
_NUMBERS = re.compile(r"[0-9]+")
_CONTINUATION = Kind("continuation")


def counted(number: int, text: str, layout: Layout | None, seen: Coverage) -> Sequence[Event]:
    """Count a line and return its events, if it is understood: several if it lists partitions."""
    parsed = parse_line(text, layout)
    if isinstance(parsed, Continuation) and is_no_text(text):
        parsed = Unknown(message=text)
    if isinstance(parsed, Continuation):
        seen.kinds[_CONTINUATION] += 1
        return ()
    if parsed.ts is not None:
        seen.dated(number, parsed.ts)
    if parsed.level in _SEVERE and not is_used(parsed):
        seen.failed(template(text.partition(parsed.level)[2].lstrip(" ]:")), number)
    if isinstance(parsed, Unknown):
        seen.unknown[template(text) if parsed.wrong is None else f"{parsed.wrong}: {template(text)}"] += 1
        bearing = parsed.logger == STATE_CHANGE or f"({STATE_CHANGE})" in text or parsed.wrong is not None
        stranger = parsed.logger is not None and not parsed.logger.startswith(OWN)
        resembling = not bearing and begins_like_a_role(parsed.message or text)
        no_text = parsed.logger is None and is_no_text(text)
        broken = bearing or resembling or no_text
        broken |= parsed.logger is None and (text[:1] in "[12" or any(f"({own}" in text for own in OWN))
        kind = Kind("unknown", bearing=bearing, stranger=stranger, broken=broken, resembling=resembling)
        seen.kinds[kind] += 1
        if no_text and len(seen.no_text) <= MOST_BROKEN:
            seen.no_text.append(number)
        if broken and len(seen.broken) <= MOST_BROKEN:
            seen.broken.append(number)
        return ()
    understood = isinstance(parsed, Event)
    prefixed = text[:1] not in "[12" if layout is None else layout.opens
    seen.kinds[Kind("understood" if understood else "irrelevant", parsed.row, parsed.level, prefixed)] += 1
    return listed(parsed) if isinstance(parsed, Event) else ()


def is_used(parsed: Event | Irrelevant | Unknown) -> bool:
    """Return whether a rule, or what happened, rests on a line."""
    row = rows().get(parsed.row) if isinstance(parsed, Event) else None
    return row is not None and (row.happens is not None or row.role != "note")


def template(text: str) -> str:
    """Return an unknown line with its numbers masked, so that lines of one wording count together."""
    return _NUMBERS.sub("#", text[:TEMPLATE_LENGTH])
