"""Drift of lines: compares the rows of a release with the calls of its source, in both directions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...specs.lines import Row, Wording, rows
from .calls import STATE_CHANGE, Call
from .classes import simple
from .finding import Finding
from .loggers import covers, index, is_class, lives, named
from .matching import of_template, of_wording, reads, shown, similarity
from .read import Kafka
from .read import named as named_calls

_CLOSE = 0.6
"""The similarity from which two texts count as one that was changed."""
_MOST_OF = 0.7
"""The share of a wording's letters that a call of another class must have for it to be the same line."""
_TELLING = 16
"""The least number of letters of a wording that is searched in other classes; a shorter one is in too many."""
_PHRASE = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){2,}")
"""Consecutive words, at least three."""
_LETTERS = 8
"""The least number of letters of a message; a shorter one cannot be compared."""


@dataclass(frozen=True)
class Printed:
    """The calls of a source by the loggers that print them."""

    of: Mapping[str, Sequence[Call]]
    by_word: Mapping[str, Sequence[tuple[str, Call]]]
    """The same by each word of their texts."""


def printed(calls: Iterator[tuple[str, Call]]) -> Printed:
    """Return an index of calls."""
    of: dict[str, list[Call]] = defaultdict(list)
    by_word: dict[str, list[tuple[str, Call]]] = defaultdict(list)
    for name, call in calls:
        of[name].append(call)
        for word in call.template.words:
            by_word[word].append((name, call))
    return Printed(dict(of), dict(by_word))


@dataclass(frozen=True)
class Table:
    """The rows of a release, with the source's calls of their loggers."""

    release: int
    kafka: Kafka
    printing: Mapping[str, tuple[str, ...]]
    calls: Printed
    built: str
    """The literals that no call shows, one per line."""
    whole: bool
    """True if every module was read: then what is absent is gone."""


def table(kafka: Kafka, release: int) -> Table:
    """Return the rows of a release beside a source."""
    literals = "\n".join(" ".join(literal.split()) for literal in kafka.literals)
    return Table(release, kafka, index(kafka), printed(named_calls(kafka)), literals, not kafka.missing)


def stale(table: Table, known: frozenset[tuple[str, str]]) -> Iterator[Finding]:
    """Yield wordings that no call of their loggers prints, with what is printed instead.

    Args:
        known: rows with wordings that an older source lacks too; they are left out if they bear on no rule.
    """
    for row, wording, own in lost(table):
        if row.bears or (row.id, shown(wording)) not in known:
            yield _stale(row, wording, own, table)


def lost(table: Table) -> Iterator[tuple[Row, Wording, Sequence[Call]]]:
    """Yield wordings that no call of their loggers prints, each text of a row once, with the calls of those loggers."""
    handed = [call for call in table.kafka.calls if call.handed]
    for row in rows().values():
        wordings = [each for each in row.wordings if each.releases & table.release and not each.anything]
        if not wordings or not row.loggers:
            continue
        home = lives(row, table.release, table.kafka, table.printing)
        if not (any(map(is_class, home.found)) or home.moved or table.whole):
            continue  # the jar with the class, or of those that may print by a logger with its own name, was not given
        names = (*home.found, *(new for _, new in home.moved))
        own = [
            call
            for name, calls in table.calls.of.items()
            if any(covers(each, name) for each in names)
            for call in calls
        ]
        seen: set[str] = set()
        for wording in wordings:
            if shown(wording) in seen or any(reads(wording, call.template) for call in (*own, *handed)):
                continue
            if not _built(wording, table.built, own):
                seen.add(shown(wording))
                yield row, wording, own


def unread(table: Table) -> Iterator[Finding]:
    """Yield wordings of rows that bear on a rule and end with an earlier release, though a call still prints them.

    They are then not new to Kafka, and nothing of the table is gone from it: only this shows that the table lacks the
    release. If any row that bears on a rule has the wording for this release, it is not lost.
    """
    before = table.release - 1
    current = [
        wording
        for row in rows().values()
        if row.bears
        for wording in row.wordings
        if wording.releases & table.release and not wording.anything
    ]
    for row in rows().values():
        if not row.bears or not row.releases & before:
            continue
        classes = {simple(name) for name in named(row, before) if is_class(name)}
        calls = [call for name, calls in table.calls.of.items() if simple(name) in classes for call in calls]
        places: set[str] = set()
        for wording in (each for each in row.wordings if each.releases & before and not each.releases & table.release):
            for call in calls:
                if _place(call) in places or not _same(wording, call):
                    continue
                if not any(reads(each, call.template) for each in current):
                    places.add(_place(call))
                    text = f"({row.role}) is printed, but no variant covers this release: {call.template.shown}"
                    yield Finding("line", 0, row.id, text, True, _place(call))


def _built(wording: Wording, literals: str, own: Sequence[Call]) -> bool:
    """Return whether all of its phrases are in literals that no call shows: a method composes the message.

    Or they are in texts of one class file, one of which begins as the wording does: there a message and the text that a
    method appends to it are separate.
    """
    pieces = [piece for piece in wording.pieces[wording.prefix :] if isinstance(piece, str)]
    phrases = [phrase for literal in pieces for phrase in _PHRASE.findall(literal)]
    if phrases and all(phrase in literals for phrase in phrases):
        return True
    begun = [call for call in own if call.level is None and call.template.shown.startswith(pieces[0].strip())]
    return len(phrases) > 1 and any(
        all(any(phrase in call.template.shown for call in own if call.file == file) for phrase in phrases)
        for file in {call.file for call in begun}
    )


def _stale(row: Row, wording: Wording, own: Sequence[Call], table: Table) -> Finding:
    rank, ours = (0 if row.bears else 1), shown(wording)
    role = row.role if row.bears else "irrelevant"
    elsewhere = _elsewhere(wording, table)
    if elsewhere:
        name, call = elsewhere
        return Finding("line", rank, row.id, f"({role}) is printed by {name}: {ours}", row.bears, _place(call))
    alike = [(similarity(ours, call.template.shown), call.template.shown, _place(call)) for call in own]
    ratio, text, place = max(alike, default=(0.0, "", ""))
    if ratio >= _CLOSE:
        return Finding("line", rank, row.id, f"({role}) is changed: {ours} -> {text}", row.bears, place)
    return Finding("line", rank, row.id, f"({role}) is gone: {ours}", row.bears)


def _elsewhere(wording: Wording, table: Table) -> tuple[str, Call] | None:
    """Return the call of another logger that prints the wording, the first by name."""
    laid = of_wording(wording, sentence=True)
    if laid.letters < _TELLING:
        return None
    rare = min(laid.words, key=lambda word: (len(table.calls.by_word.get(word, ())), word), default="")
    found = [(name, call) for name, call in table.calls.by_word.get(rare, ()) if _same(wording, call)]
    return min(found, key=lambda each: (each[0], each[1].file, each[1].line), default=None)


def _same(wording: Wording, call: Call) -> bool:
    """Return whether a call prints the wording, and most of its letters."""
    letters = of_wording(wording, sentence=True).letters
    return of_template(call.template).letters >= letters * _MOST_OF and reads(wording, call.template)


def _place(call: Call) -> str:
    return f"{call.file}:{call.line}" if call.line else call.file


def new(table: Table, known: frozenset[tuple[str, str]] | None) -> Iterator[Finding]:
    """Yield calls that no wording reads, or only one that reads any text.

    Args:
        known: simple names of classes with texts that an older source has; these are not new. With an older source,
            lines that only rows bearing on no rule read are listed too: new ones among them may deserve a role.
    """
    current = [row for row in rows().values() if row.releases & table.release and row.loggers]
    bearing = {simple(name) for row in current if row.bears for name in named(row, table.release) if is_class(name)}
    seen: set[tuple[str, str]] = set()
    for name in sorted(table.calls.of):
        own = [row for row in current if any(covers(logger, name) for logger in named(row, table.release))]
        rank = 0 if simple(name) in bearing or name == STATE_CHANGE else 2
        calls = table.calls.of[name]
        decided = {
            _place(call) for call in calls if call.maybe and _read(call, own, table.release, listed=True) is None
        }
        for call in calls:
            if call.maybe and _place(call) in decided:
                continue
            key, origin = (simple(name), call.template.shown), (simple(call.logger), call.template.shown)
            if call.level is None or key in seen or of_template(call.template).letters < _LETTERS:
                continue
            seen.add(key)
            if known and (key in known or origin in known):
                continue
            if how := _read(call, own, table.release, listed=known is not None):
                less, what = how
                yield Finding(
                    "new", rank + less, f"{name} {call.level}", f"{call.template.shown} ({what})", False, _place(call)
                )


def _read(call: Call, own: Sequence[Row], release: int, *, listed: bool) -> tuple[int, str] | None:
    """Return how a call that is worth a finding is read, and its rank; None for any other.

    Args:
        listed: also list lines that a row bearing on no rule reads.
    """
    anything = False
    readers: list[Row] = []
    for row in own:
        for wording in row.wordings:
            if wording.releases & release and wording.anything:
                anything = True
            elif wording.releases & release and reads(wording, call.template):
                readers.append(row)
    if any(row.bears for row in readers) or (readers and not listed):
        return None
    if readers:
        return 1, f"irrelevant: {readers[0].id}"
    return (1, "only a row that matches any text reads it") if anything else (0, "unknown")


def texts(kafka: Kafka) -> frozenset[tuple[str, str]]:
    """Return the texts that a source prints: simple names of classes, with texts."""
    return frozenset((simple(call.logger), call.template.shown) for call in kafka.calls)
