"""The reasons of what happened, from the text of the lines that say so: read again, when few are left."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ....specs.bugs import known_bug
from ....specs.faults import cause_of
from ....specs.lines import Row as LineRow
from ....specs.lines import rows as line_rows
from ....traces.events.event import Event
from ....traces.events.layouts import Layout
from ....traces.events.parse import parse_line, parse_throwable
from ....traces.place import Place
from ..files.file import LogFile
from ..findings.excerpts import Texts, Wanted
from ..findings.happened import Happened
from .moments import saying
from .named import has_it

_AFTER, _TRACE = 3, 40
"""The lines after one within which its throwable begins: blank ones may stand between. Of failures, the whole trace."""
_FAILURES = ("process-failed", "fault", "directory-failed")
_TRIED = ("fetch-refused", "append-refused", "controller-resigned")
"""Known bugs are looked for here, too; the throwable says all that is needed in its first lines."""
_CAUSED = "Caused by: "
_FRAME = re.compile(rf"at |{_CAUSED}|Suppressed: |\.\.\. [0-9]+ |\[CIRCULAR")
"""The beginning of a line of a stack trace after the first, without its indentation."""
_FIELD = re.compile(r"\{([a-z_]+)\}")
_LONGEST = 500


def lines_after(what: str) -> int:
    """Return the number of lines, after one that says that something happened, in which its throwable may be."""
    return _TRACE if what in _FAILURES else _AFTER


def with_reasons(
    entries: Sequence[Happened],
    files: Mapping[int, LogFile],
    layout: Layout | None,
    texts_of: Callable[[Wanted], Texts],
    ran: Collection[str] = (),
) -> list[Happened]:
    """Return the entries with the reasons that their lines, and the throwables after them, print.

    Args:
        ran: the releases that may have run; none if they are not known.
    """
    wanted: Wanted = defaultdict(set)
    around = {each.at: _places(each.at, files, lines_after(each.what)) for each in entries if each.at is not None}
    for places in around.values():
        for place in places:
            if place.line is not None:
                wanted[place.file].add((place.line, place.part))
    texts = texts_of(wanted) if wanted else {}
    return [each if each.at is None else _with_reason(each, around[each.at], texts, layout, ran) for each in entries]


def _places(at: tuple[int, int], files: Mapping[int, LogFile], after: int) -> list[Place]:
    file, line = files[at[0]], at[1]
    return [file.place(number) for number in range(line, line + after + 1)]


def _with_reason(
    each: Happened, places: Sequence[Place], texts: Texts, layout: Layout | None, ran: Collection[str]
) -> Happened:
    lines = [texts.get(place.file, {}).get((place.line or 0, place.part), "") for place in places]
    event = parse_line(lines[0], layout)
    row = saying().get(event.row) if isinstance(event, Event) else None
    said = None if row is None or not isinstance(event, Event) else in_words(row, event)
    trace = stack_trace(lines[1:])
    reason = ": ".join(part for part in (said, in_short(trace)) if part)
    found = issue = like = meant = None
    if row is not None and each.what in (*_FAILURES, *_TRIED):
        found = known_bug(row.id, trace)
        meant = None if each.what in _TRIED else cause_of([said or "", *trace])
    if found is not None and has_it(found[0], ran):
        bug, unsure = found[0], found[1].unsure
        issue, like = (None, bug.issue) if unsure else (bug.issue, None)
        name = bug.named(unsure=unsure)
        meant = f"{meant}; {name}" if unsure and meant else name
    if meant:
        reason = f"{reason} ({meant})"
    known = "; ".join(part for part in (each.reason, reason) if part)
    return replace(each, reason=known[:_LONGEST] or None, issue=issue, looks_like=like, at=None)


def in_words(row: LineRow, event: Event) -> str | None:
    """Return the reason of a line: its row's text with the fields of the line."""
    if row.reason is None:
        return None
    return _FIELD.sub(lambda match: _shown(match[1], event), row.reason).strip(": ")


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


def _partitions(event: Event) -> str:
    """Return the partitions that a line lists: how many, and the first few."""
    names = [name.strip() for name in (event.detail or "").split(",") if name.strip()]
    return f"{len(names)} partition{'s' * (len(names) != 1)}" + (
        f" ({', '.join(names[:3])}{' ...' * (len(names) > 3)})" if names else ""
    )


def _strategy(event: Event) -> str:
    """Return the strategy of an election, and whether it may be unclean, where it prints that."""
    name, _, unclean = (event.strategy or "").partition("(")
    return name + {"false)": ", unclean election is off", "true)": ", unclean election is on"}.get(unclean, "")


def _described(event: Event) -> str:
    """Return the leader and the ISR of a partition."""
    led = "" if event.leader is None or event.leader < 0 else f"led by {event.leader}, "
    return f"{led}ISR {', '.join(map(str, event.isr or ())) or 'empty'}"


_MADE: Mapping[str, Callable[[Event], str]] = {
    "behind": _behind,
    "cut": _cut,
    "described": _described,
    "named_strategy": _strategy,
    "partitions": _partitions,
}
"""Texts that are made of several fields, by the names that reasons use."""


def stack_trace(lines: Sequence[str]) -> list[str]:
    """Return the throwable that follows a line, with its frames; nothing where another line comes first."""
    begun = [text.strip() for text in lines if text.strip()]
    first = parse_throwable(begun[0], tail=False) if begun else None
    if not isinstance(first, Event) or first.error is None:
        return []
    frames = itertools.takewhile(_FRAME.match, begun[1:])
    return [begun[0], *frames]


def in_short(trace: Sequence[str]) -> str | None:
    """Return the class and the message of a throwable, and those of its cause, where that says something else."""
    if not trace:
        return None
    thrown = parse_throwable(trace[0], tail=False)
    row = line_rows()[thrown.row] if isinstance(thrown, Event) else None
    if row is not None and row.reason is not None and isinstance(thrown, Event):
        return in_words(row, thrown)
    first = _named(trace[0])
    causes = [text.removeprefix(_CAUSED) for text in trace if text.startswith(_CAUSED)]
    last = _named(causes[-1]) if causes else first
    return first if last in first else f"{first}; cause: {last}"


def _named(text: str) -> str:
    name, _, message = text.partition(": ")
    return ": ".join(part for part in (name.rpartition(".")[2], message) if part and part != "null")
