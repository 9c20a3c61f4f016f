"""Detection of the format of a file from the structure of its first lines, never from its name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain as chained
from itertools import islice, pairwise
from typing import Any

from ...specs.errors import IsrproofError, unknown
from ...specs.formats import Envelope, envelopes, fragments, layouts
from ...specs.machines import LEVELS
from ..events.layouts import PREFIXED, WITH_THREAD, Layout, layout
from ..events.parse import is_default
from ..sources.text import Lines
from .dumps import dump, is_state, state
from .instants import SECOND
from .order import JITTER, by_text, printed
from .pasted import HEAD, Reader, Score, paste_of, shows_paste, tells
from .reading import Reading, Unwrapped
from .records import Record, document, loaded, table
from .wrapping import layout_of, lines_of, take

SAMPLES = (200, 10_000)
"""Number of lines that are examined; the second applies if the first show nothing, because images print their
configuration before Kafka starts."""
SORTED_SAMPLE = 2_000
"""Number of lines that are examined for the order of lines with one time."""
_SAMPLE_TEXT = 1 << 12
"""Average number of characters of a line that are examined."""
_LOOKED_AT = 2_000
"""Number of characters of a line in which words are looked for that are no line of a log."""
_DEEPEST = 3
_LEAST = 0.2
"""Smallest share of the lines that an envelope contains: a stack trace may be in none."""
_FALLS = 3
UNKNOWN_PREFIX = "kafka behind an unknown prefix"
DEFAULT = "kafka"
"""The layout that is tried first on every line, and is the quickest."""
_LOOKS = re.compile(
    rf"\b(?:{'|'.join(LEVELS)})\b"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}|state\.change\.logger"
    r"|kafka\.(?:controller|server|cluster)|\[(?:Controller|Broker) id="
)
_NUMBERED = re.compile(r"[0-9]{1,4}[.):]?|[*\u2022-]")
"""A word before lines that numbers them, and is no writer's name."""
_LIST = re.compile(r"\s*\[\s*(?:\{|$)")


@dataclass(frozen=True)
class Detected:
    """The format that the first lines of a file show."""

    reading: Reading
    lines: int
    """Number of lines that were examined, without blank ones."""
    known: int
    """Number of these lines, or of the lines that they contain, in a known layout."""
    looks: int
    """Number of lines that look like lines of a log."""
    nearest: str | None = None
    """The envelope that contains most of them, if no layout is known."""
    dump: str | None = None
    """The problem with them, if a tool of Kafka's printed them: kafka-dump-log, or one that shows a state."""
    by_text: bool = False
    """Lines of one time are sorted by their text."""

    @staticmethod
    def plain() -> Detected:
        """Return the format of a file that was not examined: it is read as plain lines."""
        return Detected(Reading(), 0, 0, 0)

    @property
    def problem(self) -> str | None:
        """The reason why the file cannot be understood although it looks like a log; None if there is no such
        reason."""
        if self.dump is not None:
            return self.dump
        if self.known or self.looks * 2 < self.lines or not self.lines:
            return None
        near = f"its lines look like {self.nearest}, but contain an unknown layout" if self.nearest else ""
        return (
            f"none of its first {self.lines} lines is in a known layout"
            + (f" ({near})" if near else "")
            + "; isrproof formats lists the layouts; --layout PATTERN declares log4j's pattern"
        )


@dataclass(frozen=True)
class _Explained:
    known: int
    chain: tuple[str, ...] = ()
    layout: str | None = None
    unended: bool = False


@dataclass(frozen=True)
class Asked:
    """The format that a user declares for files."""

    chain: tuple[str, ...] | None = None
    """Their envelopes; None: detect them."""
    layout: Layout | None = None
    """The log4j layout of their lines; None: detect it."""


UNASKED = Asked()


def detect(path: str, asked: Asked = UNASKED) -> Detected:
    """Return the format of a file."""
    return detected_by(lambda most: sampled(Lines(path), most), asked)


def detected_by(first: Callable[[int], Sequence[str]], asked: Asked = UNASKED) -> Detected:
    """Return the format of a file; `first` returns its first lines, up to a number of them."""
    found, sample = _ordinary(first, asked)
    return found if asked != UNASKED else _pasted(found, sample) or found


def _ordinary(first: Callable[[int], Sequence[str]], asked: Asked) -> tuple[Detected, Sequence[str]]:
    """Return the format of a file that nobody pasted, and its first lines."""
    sample = first(SORTED_SAMPLE)
    found = detected(sample[: SAMPLES[0]], asked)
    if not found.known and len(sample) > SAMPLES[0]:
        found = detected(first(SAMPLES[1]), asked)
    return (replace(found, by_text=by_text(sample)) if found.reading.native else found), sample


def _pasted(found: Detected, sample: Sequence[str]) -> Detected | None:
    """Return the format of a text that a person pasted; None if its lines are understood as well without that.

    Who pastes lines in a known layout pastes few.
    """
    reading = found.reading
    if (
        (found.dump is not None and not is_state(found.dump))
        or reading.whole
        or reading.falls
        or any(envelopes()[id].kind != "text" for id in reading.chain)
    ):
        return None
    if found.known and (len(sample) >= SORTED_SAMPLE or reading.json):
        return None
    if found.known and not (any(envelopes()[id].loose for id in reading.chain) or shows_paste(sample[:HEAD])):
        return None
    paste = paste_of(sample)
    reader = Reader(paste)
    mended = Score.of((line.label, line.text) for line in reader.lines(sample))
    lines = [*Unwrapped(Given(sample), reading)]
    plain = Score.of((line.label, line.text) for line in lines)
    quoted = bool(reader.counts["output"]) or (bool(reader.counts["prose"]) and tells(sample[:HEAD]))
    numbered = bool(reading.chain) and all(_NUMBERED.fullmatch(line.label) for line in lines)
    if mended.known < plain.known or mended.thrown < plain.thrown:
        return None
    if mended == plain and not (quoted or numbered):
        return None
    if not found.known and not mended.bearing and mended.known < _LEAST * found.lines:
        return None  # a sentence of Kafka's may be another program's, too
    part, _ = reader.layouts.most_common(1)[0] if reader.layouts else (None, 0)
    layout = part or (None if reader.known is None else layout_named(reader.known)) or reading.layout
    return Detected(Reading(layout=layout, paste=paste), found.lines, mended.known, found.looks)


class Given:
    """Lines as a text that a file holds, such as its first ones."""

    problem: str | None = None

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def blocks(self) -> Iterator[bytes]:
        return (line.encode() + b"\n" for line in self._lines)


def holds_lines(path: str) -> bool:
    """Return True if a file has lines in a known layout, in any envelope."""
    return _ordinary(lambda most: sampled(Lines(path), most), UNASKED)[0].known > 0


def sampled(lines: Iterable[str], most: int) -> list[str]:
    """Return the first lines, at most `most` of them."""
    found, size = [], 0
    for line in islice(lines, most):
        found.append(line)
        size += len(line)
        if size > _SAMPLE_TEXT * most:
            break
    return found


def detected(sample: Sequence[str], asked: Asked = UNASKED) -> Detected:
    """Return the format of a file that begins with these lines."""
    texts = [line for line in sample if line.strip()]
    looks = sum(_LOOKS.search(text[:_LOOKED_AT]) is not None for text in texts)
    first = texts[0] if texts else ""
    whole = bool(_LIST.match(first)) or (first.lstrip()[:1] == "{" and loaded(first) is None)
    if whole:
        best = max((_explained(values, asked) for values in _documents(sample)), key=lambda each: each.known)
    if not whole or not best.known:
        whole, best = False, _explained(texts, asked)
    if not best.known:
        best = _of_table(sample, asked) or best
    if not best.known:  # Lines may have any prefix: the parser looks behind it.
        best = _Explained(sum(PREFIXED.normal(text) is not None for text in texts))
        best = replace(best, layout=UNKNOWN_PREFIX) if best.known else best
    bare = not best.chain
    is_json = bare and best.layout is not None and best.layout in layouts() and bool(layouts()[best.layout].keys)
    as_written = all(envelopes()[id].order == "written" for id in best.chain)
    falls = as_written and not whole and _falls(_times(texts, best.chain))
    reading = Reading(best.chain, best.layout, whole, falls, is_json, best.unended)
    if best.known:
        return Detected(reading, len(texts), best.known, looks)
    shown = [text[:_LOOKED_AT] for text in texts]
    return Detected(reading, len(texts), 0, looks, _nearest(texts), dump(shown) or state(shown))


def _documents(sample: Sequence[str]) -> Iterable[list[Any]]:
    text = ["\n".join(sample).encode("utf-8", "replace")]
    for path in sorted({envelope.each for envelope in envelopes().values() if envelope.each}):
        yield _objects(document(text, path))
    yield _objects(document(text))


def _objects(records: Iterable[Record]) -> list[Any]:
    """Return the objects of a document; a text that stands alone belongs to a list that the sample cuts."""
    return [record.value for record in records if not record.unread and isinstance(record.value, Mapping)]


def _of_table(sample: Sequence[str], asked: Asked) -> _Explained | None:
    """Return the format of a file whose first line names columns, one of which can contain the line."""
    records = list(table(sample))
    for envelope in envelopes().values():
        can_be = asked.chain is None or asked.chain[:1] == (envelope.id,)
        if can_be and envelope.columns and records and any(name in records[0].value for name in envelope.columns):
            return _within(envelope, [record.value for record in records], asked, 0)
    return None


def _explained(values: Sequence[Any], asked: Asked, depth: int = 0) -> _Explained:
    """Return the envelopes that lead to most lines of a known layout; fewer are better, then those earlier in the
    table."""
    named = Counter(name for value in values if (name := layout_named(value, asked.layout)) is not None)
    best = _Explained(sum(named.values()), (), named.most_common(1)[0][0] if named else None)
    if asked.chain is not None:
        return best if depth == len(asked.chain) else _within(envelopes()[asked.chain[depth]], values, asked, depth)
    if depth == 0 and (headed := _headed(values, asked)).known:
        return headed
    if depth == _DEEPEST or best.known * 2 > len(values) or not values:
        return best
    for envelope in envelopes().values():
        # Only the outermost envelope may fit almost any line: "console: " is no file name of grep, then indentation.
        if not (envelope.columns or envelope.heads or (envelope.loose and depth)):
            found = _within(envelope, values, asked, depth)
            if (found.known, -len(found.chain)) > (best.known, -len(best.chain)):
                best = found
    return best


def _headed(values: Sequence[Any], asked: Asked) -> _Explained:
    """Return the format of concatenated files, each with a head; the first line is one."""
    for envelope in envelopes().values():
        if envelope.heads and values and take(envelope, values[0]) is not None:
            return _within(envelope, values, asked, 0)
    return _Explained(0)


def _within(envelope: Envelope, values: Sequence[Any], asked: Asked, depth: int) -> _Explained:
    if envelope.heads:
        inner = _explained([value for value in values if take(envelope, value) is None], asked, 1)
        return replace(inner, chain=(envelope.id, *inner.chain))
    taken = [held for value in values if (held := take(envelope, value)) is not None]
    if asked.chain is None and len(taken) < max(1, _LEAST * len(values)):
        return _Explained(0)
    inner = _explained([held.value for held in chained.from_iterable(taken)], asked, depth + 1)
    unended = envelope.newline and all(held.goes_on for held in chained.from_iterable(taken))
    return _Explained(inner.known, (envelope.id, *inner.chain), inner.layout, unended or inner.unended)


@cache
def _patterns() -> tuple[tuple[str, Layout], ...]:
    return tuple((row.id, layout(row.pattern)) for row in layouts().values() if row.pattern and row.id != DEFAULT)


def layout_named(value: Any, given: Layout | None = None) -> str | None:
    """Return the layout of a line, or of an object in a JSON layout; None if its layout is not known."""
    if isinstance(value, str):
        text = value.partition("\n")[0].rstrip("\r")
        if given is not None:
            return given.name if given.normal(text) is not None else None
        if is_default(text):
            return "kafka-thread" if text[-1] == "]" and WITH_THREAD.normal(text) is not None else "kafka"
        if text[:1] == "{":
            value = loaded(value.rstrip("\n"))
        elif text[:1] in "[12":
            return next((name for name, pattern in _patterns() if pattern.normal(text) is not None), None)
    row = layout_of(value)
    return None if row is None else row.id


def _times(values: Sequence[Any], chain: Sequence[str]) -> list[int]:
    """Return the times of lines: those of the outermost envelope that has any, or else those that are printed."""
    if not chain:
        return [time for value in values if (time := printed(lines_of(value)[0])) is not None]
    if envelopes()[chain[0]].heads:
        return []  # lines of several writers, one after the other
    times = []
    for value in values:
        for held in take(envelopes()[chain[0]], value) or ():
            times += [held.outer] if held.outer is not None else _times([held.value], chain[1:])
    return times


def _falls(times: Sequence[int]) -> bool:
    """Return True if the newest line is first: times fall, and hardly ever rise."""
    steps = [after - before for before, after in pairwise(times)]
    falls, rises = sum(step < 0 for step in steps), any(step > 0 for step in steps)
    if rises:  # threads may have printed late
        return falls >= _FALLS and all(step <= JITTER for step in steps) and times[0] - times[-1] > SECOND
    return falls >= min(_FALLS, max(len(steps), 1)) and times[0] - times[-1] > JITTER


def _nearest(texts: Sequence[str]) -> str | None:
    """Return the envelope that contains most of these lines."""
    held = Counter(
        {id: sum(take(row, text) is not None for text in texts) for id, row in envelopes().items() if not row.columns}
    )
    for id, n in held.most_common():
        if n * 2 > len(texts) and not envelopes()[id].loose:
            return id
    return None


def asked_for(given: str | None, pattern: str | None) -> Asked:
    """Return the format that --input ENVELOPE[/LAYOUT] and --layout PATTERN declare; of several envelopes the outermost
    is first.

    Raises:
        IsrproofError: a name is unknown or in the wrong place, or both options declare the layout.
    """
    own = None if pattern is None else layout(pattern)
    if given is None:
        return Asked(None, own)
    names = given.split("/")
    known = {**envelopes(), **layouts(), **fragments()}
    for name in names:
        if name not in known:
            raise unknown("format", name, known)
    *chain, last = names
    if last in envelopes():
        return Asked((*_all_envelopes(chain), last), own)
    if own is not None:
        raise IsrproofError(f"--input declares the layout {last}, --layout another one; use only one of the two.")
    pattern = {**layouts(), **fragments()}[last].pattern
    named = layout(pattern) if pattern and last != DEFAULT else None
    return Asked(_all_envelopes(chain), named)


def _all_envelopes(names: Sequence[str]) -> tuple[str, ...]:
    if wrong := [name for name in names if name not in envelopes()]:
        raise IsrproofError(f"--input takes envelopes, then a layout; {wrong[0]} is a layout, but not the last.")
    return tuple(names)
