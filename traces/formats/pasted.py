"""Text that a person pasted, to the lines of a log: parts of lines, prose around them, lines wrapped at a width.

A line that no layout explains is tried as a part of one (`fragments` of specs/layouts.toml), then with the lines below
it, then with two spaces where it has one; it is taken so only where the result is a line that the line table has. What
is no line of a log is left out, and counted. Nothing here runs on an ordinary log: see `shows_paste` and detect.py.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ...specs.formats import fragments
from ...specs.lines import Slot
from ...specs.lines import rows as line_rows
from ...specs.machines import LEVELS
from ..events.event import Event, Irrelevant, Parsed, Unknown
from ..events.layouts import NO_LOGGER, NO_TIME, Layout, layout
from ..events.parse import is_default, parse_line, parse_throwable
from ..events.wordings import dispatch, key_of, sentence_of
from ..tools.outputs import Outputs
from .characters import restored
from .cut import MISSING, completed

_TIME = r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_LEVEL = rf"(?:{'|'.join(LEVELS)})"
_TIMED = re.compile(rf"\[?{_TIME}\]?:? +(?:\[[^\[\]]{{0,100}}\] +)?\[? *{_LEVEL}\b|\[?{_LEVEL} *\]?:? +\[?{_TIME}")
_LEVELLED = re.compile(rf"\[?{_LEVEL} *\]?:? +(?=\S)")
_PREFIX = 300
"""The largest number of characters before a line that are taken for a prefix."""
_CONTAINER = re.compile(r"(?P<label>[A-Za-z0-9][A-Za-z0-9_.@-]{0,255}) +\|(?: |$)")
"""The prefix of each line that docker compose prints."""
_TRACE = re.compile(
    r"\s+\S|at [\w$.]+[(/]|Caused by: |Suppressed: |\.\.\. [0-9]+ more|(?:[a-z][\w$]*\.)+[A-Z][\w$]*(?::|$)"
)
_QUOTED = re.compile(r"([`\"])(?P<text>[^`\"]{20,})\1")
_QUOTES = re.compile(r"[:,;\u3001\u3002>] *(?=[A-Z\[])")
"""The places in a sentence after which it may quote a message."""
_EMPTY = re.compile(r":(?=$| [A-Za-z]+:)")
"""The name of a column that has no value."""
_MARKS = " \t>*`\"'"
"""Marks that a person puts before a quotation."""
_SLASHES = re.compile(r"(?<![0-9/])([12][0-9]{3})/([01][0-9])/([0-3][0-9])(?=[ T][0-9]{2}:)")
_NEXT = re.compile(
    rf"(?<=\)) +(?=\[{_TIME}\] {_LEVEL} )|(?<=\)) +(?=(?:[a-z][\w$]*\.)+[A-Z]\w*(?:Exception|Error)\b)"
    r"|(?<=\S) +(?=at [\w.$]+\()"
)
"""The end of a line whose line feed was lost."""
_RUN_ON = (") [1", ") [2", ") kafka.", ") org.apache.", ") java.")
"""Texts that are in a line that goes on as another one, and hardly elsewhere."""
_FRAME = re.compile(r"\s*(?:at [\w$.]+[(/]|Caused by: |Suppressed: |\.\.\. [0-9]+ more)")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[.]?"
_CLOCK = (
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?[AaPp][Mm])?"
    r"(?: ?(?:Z|[A-Z]{3,4}|[+-][0-9]{2}:?[0-9]{2}))?"
)
_DATE = (
    rf"(?:(?:[A-Z][a-z]{{2,8}},? )?(?:{_MONTH} [0-9]{{1,2}}(?:,? [0-9]{{4}})?|[0-9]{{1,2}} {_MONTH},?(?: [0-9]{{4}})?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[/.][0-9]{1,2}[/.][0-9]{2,4}|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2})"
    rf"(?:(?:,| @| at|T)? ?{_CLOCK})?)"
)
_HEADED = re.compile(r"\[[A-Z][A-Za-z]+ [^\[\]]{0,300}=")
"""The head of a message, which names who speaks: `[Broker id=1]`, `[Partition t-0 broker=1]`."""
_DATED = re.compile(rf"\s*[|,;]? *{_DATE}\s*$")
_PROSE = re.compile(r"[^\[\s0-9(]|$")
_SENTENCE = re.compile(r"[A-Za-z][\w',:;-]*(?: [\w'\"`,:;()/.*-]+){5,200}[?!]?")
_ENDS = re.compile(r"\([A-Za-z_$][\w$.-]*\)(?: \[[^\[\]]*\])?$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SIGNS = re.compile(
    r"&(?:lt|gt|amp|quot|nbsp|#[0-9]+);|\^\[\[|\\u001b|\\\[|[\uff3b\uff3d\uff08\uff09\u3010\u00a0\u200b\u2502\u2503\u2551]"
    r"|</?(?:br|pre|code)|^[A-Za-z0-9][A-Za-z0-9_.@-]{0,255} +\|",
    re.MULTILINE,
)
"""Signs that a terminal, a browser or an editor changed lines, or that docker compose printed them."""
_OF_SIGNS = re.compile(r"[&^\\|<\uff3b\uff3d\uff08\uff09\u3010\u00a0\u200b\u2502\u2503\u2551]")
"""Characters of which each sign has one: most logs have none, and a class is searched ten times as fast."""
_WRAPPED = 60
"""The least number of characters of a line that was wrapped at a width, as no terminal is narrower."""
_MOST_JOINED, _TRIED = 20, 5
"""The largest number of lines that are joined to one, and of joints of which every reading is tried."""
_MOST_SPACES = 60
_DATE_ENDS = 60
"""The largest number of characters of a date."""
HEAD = 200
"""Number of first lines that show whether a text was pasted."""


class Pasted(NamedTuple):
    """A line of a pasted text, as Kafka printed it."""

    label: str
    line: int
    """The number of its first line in the file."""
    part: int
    """Its place among those that stand in this line of the file, from 0."""
    text: str


def _stands_alone(parsed: Parsed) -> bool:
    """Return whether a line says something whatever stands before it, though it has neither time nor level."""
    return isinstance(parsed, Event) and line_rows()[parsed.row].happens is not None


@dataclass(frozen=True)
class Paste:
    """The way to read a pasted text, which its first lines show."""

    timeless: bool = False
    """No line has a time: lines of the table are known by their messages."""
    labelled: bool = False
    """Several names stand before lines: they are the writers."""
    cut: bool = False
    """Some lines end with a logger, or most are equally long: one without a logger may lack its end."""


class _Found(NamedTuple):
    """A line that begins an event."""

    label: str
    """The name before it."""
    before: str
    """The text before its message or its time."""
    text: str


@cache
def _layouts(*, timed: bool) -> tuple[tuple[str, Layout], ...]:
    found = ((row.id, layout(row.pattern)) for row in fragments().values() if row.pattern)
    return tuple((name, each) for name, each in found if ("time" in each.groups) == timed)


def _is_known(parsed: Parsed | None) -> bool:
    return isinstance(parsed, (Event, Irrelevant))


def begin(text: str, *, timeless: bool) -> _Found | None:
    """Return the line of a log that begins in a line of text; None if none does."""
    label, rest = unlabelled(text)
    match = _TIMED.search(rest[: _PREFIX + 60])
    if match is not None and match.start() <= _PREFIX:
        return _Found(label, rest[: match.start()], _unquoted(rest[match.start() :], rest[: match.start()]))
    if not timeless:
        own = rest.lstrip(_MARKS)
        is_part = _LEVELLED.match(own) is not None and _as_part(own, timed=False) is not None
        return _Found(label, rest[: len(rest) - len(own)], own) if is_part else None
    quoted = _QUOTED.search(rest)
    for shown in dict.fromkeys((rest, rest.lstrip(_MARKS), quoted["text"] if quoted else rest)):
        match = _LEVELLED.search(shown[:80])
        for at in dict.fromkeys((0, 0 if match is None else match.start())):
            line = _unquoted(shown[at:], shown[:at])
            if _as_part(line, timed=False) is not None or (at == 0 and _HEADED.match(line)):
                return _Found(label, shown[:at], line)
    return _within(label, rest)


def _within(label: str, rest: str) -> _Found | None:
    """Return the message that a sentence quotes without marks, after a colon or a comma; None if it quotes none."""
    for match in itertools.islice(_QUOTES.finditer(rest[:_PREFIX]), _MOST_JOINED):
        part = _as_part(rest[match.end() :], timed=False)
        if part is not None and isinstance(_read(part[1]), Event):
            return _Found(label, rest[: match.end()], rest[match.end() :])
    return None


def unlabelled(text: str) -> tuple[str, str]:
    """Return the name of the container before a line, or nothing, and the line."""
    match = _CONTAINER.match(text)
    return ("", text) if match is None else (match["label"], text[match.end() :])


def _unquoted(line: str, before: str) -> str:
    """Return a line without the mark that ends a quotation, a table's cell or bold text which began before it."""
    mark = before.strip()[-1:]
    line = line.rstrip()
    if mark in ("`", '"', "'") and mark in line:
        return line[: line.rindex(mark)]
    return line.rstrip(" *|") if mark in ("*", "|") else line


def _as_part(line: str, *, timed: bool) -> tuple[str, str] | None:
    """Return the name of the layout of a part of a line, and the line in the default layout, if the line table has
    it."""
    for name, each in _layouts(timed=timed):
        normal = each.normal(line)
        if normal is None:
            continue
        if _is_known(_read(normal)):
            return name, normal
        if each.short:  # the rest of the logger's name may be a class below it
            normal = f"{normal[: normal.rindex(' (')]} ({NO_LOGGER})"
            if _is_known(_read(normal)):
                return name, normal
    return None


def _read(line: str) -> Parsed:
    return parse_line(line)


def _as_far_as_shown(line: str) -> str | None:
    """Return a line in the default layout, whose end may be missing, with … if its last text may have been longer;
    None if its last value, a number or a list, may have been."""
    at = line.rindex(" (")
    longer, other = (f"{line[:at]}{more}{line[at:]}" for more in (MISSING, "1"))
    if _is_known(_read(longer)):
        return longer
    return None if _is_known(_read(other)) else line


@cache
def _spaced() -> frozenset[str]:
    """Return the first words of sentences that may have two spaces in sequence."""
    return frozenset(
        key
        for key, own in dispatch().by_key.items()
        if any("  " in wide for each in own if each.row.bears for wide in _emptied(each.wording.pieces))
    )


def _emptied(pieces: Sequence[str | Slot]) -> Iterator[str]:
    """Yield the literal texts of a wording, and what stands around each slot that may be empty, up to the logger."""
    around = ["", *(piece if isinstance(piece, str) else piece.primitive for piece in pieces), " "]
    for before, piece, after in zip(around, around[1:], around[2:], strict=False):
        if isinstance(piece, str):
            yield f"{piece}{after}" if after == " " else piece
        elif isinstance(before, str) and isinstance(after, str) and re.fullmatch(piece.inner, ""):
            yield f"{before}{piece.before}{piece.after}{after}"


def _may_be_widened(line: str) -> bool:
    """Return True if a line in the default layout has no two spaces in sequence, but begins as one that may."""
    if line[:1] != "[" or line[24:26] != "] " or "  " in line[25:]:
        return False
    return key_of(sentence_of(line[26:].partition(" ")[2])) in _spaced()


def widened(line: str) -> str | None:
    """Return a line in the default layout with two spaces in one or two places where it has one, if just one line of
    the table comes of that; None otherwise."""
    if not _may_be_widened(line):
        return None
    first = line.index(" ", 26) + 1
    at = [place for place in range(first, len(line)) if line[place] == " "][:_MOST_SPACES]
    for several in (1, 2):
        found: dict[Parsed, str] = {}
        for places in itertools.combinations(at, several):
            made = line
            for place in reversed(places):
                made = f"{made[:place]} {made[place:]}"
            parsed = _read(made)
            if isinstance(parsed, Event):
                found.setdefault(parsed, made)
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def undated(line: str) -> str | None:
    """Return a line without the date at its end; None if it has none."""
    match = _DATED.search(line, max(len(line) - _DATE_ENDS, 0))
    return line[: match.start()].rstrip() if match is not None and match.start() else None


def joints(pieces: Sequence[str]) -> Iterator[str]:
    """Yield the lines of which these may be the pieces: wrapped within a word, or at a space that was lost."""
    width = max(map(len, pieces[:-1]))
    likely = tuple("" if len(piece) == width else " " for piece in pieces[:-1])
    plain = len(pieces) - 1
    ways = [likely, ("",) * plain, (" ",) * plain]
    ways += itertools.product(("", " "), repeat=plain) if plain <= _TRIED else ()
    for way in dict.fromkeys(ways):
        yield "".join(piece + joint for piece, joint in zip(pieces, (*way, ""), strict=True))


_At = tuple[int, int]
"""The number of a line of the file, and the place in it."""
_NOWHERE: _At = (0, 0)


class _Below(NamedTuple):
    """A line below one that begins an event."""

    place: _At
    label: str
    """The name before it."""
    text: str


def _apart(texts: Iterable[str]) -> Iterator[tuple[_At, str]]:
    """Yield the lines of a text as a program printed them: each by itself, with its own characters."""
    for number, raw in enumerate(texts, start=1):
        text = _cleaned(raw)
        for part, one in enumerate(_NEXT.split(text) if _TIMED.search(text) else [text]):
            yield (number, part), one


def _cleaned(raw: str) -> str:
    return _SLASHES.sub(r"\1-\2-\3", restored(raw)).rstrip()


def _shown(label: str, text: str) -> _Found | None:
    """Return a line of a tool's output in the default layout; None if the line table does not have it."""
    words = _EMPTY.sub(": ", " ".join(text.split()))
    words = f"NodeId: {words}" if words[:1].isdigit() else words  # a row of a table: its first column has this name
    line = f"[{NO_TIME}] INFO {words} ({NO_LOGGER})"
    return _Found(label, "", line) if _is_known(_read(line)) else None


class Reader:
    """The lines of a pasted text; `counts` shows what was done to how many lines, `layouts` the layouts of parts of
    lines."""

    def __init__(self, paste: Paste) -> None:
        self._paste = paste
        self.counts: Counter[str] = Counter()
        self.layouts: Counter[str | None] = Counter()
        self.outputs = Outputs()
        self.known: str | None = None
        """The first line that the line table has as it is."""
        self._label = ""

    def lines(self, texts: Iterable[str]) -> Iterator[Pasted]:
        """Yield the lines of a log, of those of a text."""
        first: _Found | None = None
        place, below = _NOWHERE, list[_Below]()
        for at, text in _apart(texts):
            label, rest = unlabelled(text)
            if self.outputs.takes(rest):
                self.counts["output"] += 1
                found = _shown(label, rest)
                if found is None:
                    continue
            else:
                found = begin(text, timeless=self._paste.timeless)
            if found is None:
                below.append(_Below(at, *unlabelled(text)))
                continue
            yield from self._event(first, place, below)
            first, place, below = found, at, []
        yield from self._event(first, place, below)

    def _event(self, first: _Found | None, place: _At, rest: list[_Below]) -> Iterator[Pasted]:
        if first is not None:
            indent = len(first.before) if first.before.isspace() else 0
            rest = [each._replace(text=each.text[indent:]) if each.text[:indent].isspace() else each for each in rest]
            line, joined = self._line(first.text, [each.text for each in rest])
            self.counts["joined"] += joined
            self.counts["prefix"] += bool(first.before.strip(" \t>`*\"'-+|") or first.label)
            self._label = (first.label or self._label) if self._paste.labelled else ""
            yield Pasted(self._label, *place, line)
            rest = rest[joined:]
        yield from self._below(rest)

    def _line(self, line: str, below: Sequence[str]) -> tuple[str, int]:
        """Return a line as Kafka printed it, and the number of lines below it that belong to it."""
        if _is_known(_read(line)):
            self._knows(line)
            return line, 0
        pieces = _pieces(line, below)
        many = range(2, len(pieces) + 1)
        joined = [(number, made) for number in many for made in joints(pieces[:number])]
        for number, made in joined:
            if _is_known(_read(made)):
                self._knows(made)
                return made, number - 1
        without_date = undated(line)
        alone = [(1, line), *([] if without_date is None else [(1, without_date)])]
        for number, made in (*alone, *joined):
            found = self._mended(made, alone=number == 1)
            if found is not None:
                self.counts["dated"] += number == 1 and made != line
                return found, number - 1
        unknown = self._unknown(line)
        whole = completed(unknown)
        self.counts["cut"] += whole is not None
        return whole or (line if _is_known(_read(unknown)) else unknown), 0

    def _knows(self, line: str) -> None:
        self.layouts[None] += 1
        self.known = self.known or line

    def _mended(self, line: str, *, alone: bool) -> str | None:
        """Return a line as Kafka printed it, if the line table has it; two spaces are looked for in a line `alone`."""
        if _is_known(_read(line)):
            self._knows(line)
            return line
        untimed = self._paste.timeless or _LEVELLED.match(line) is not None
        part = _as_part(line, timed=True) or (_as_part(line, timed=False) if untimed else None)
        if part is not None:
            shown = _as_far_as_shown(part[1]) if self._paste.cut and not _ends(line) else part[1]
            if shown is not None:
                self.layouts[part[0]] += 1
                return shown
        for normal in self._normal(line) if alone else ():
            found = widened(normal)
            if found is not None:
                self.counts["widened"] += 1
                return found
        return None

    def _normal(self, line: str) -> list[str]:
        """Return the readings of a line in the default layout, likely ones first."""
        readings = [line] if _ends(line) else []
        for timed in (True, False) if self._paste.timeless else (True,):
            readings += [normal for _, each in _layouts(timed=timed) if (normal := each.normal(line)) is not None][:1]
        return readings

    def _unknown(self, line: str) -> str:
        """Return a line that the line table does not have, in the default layout if only a part of it is there."""
        parsed = _read(line)
        if isinstance(parsed, Unknown) and parsed.level is not None and parsed.logger is not None:
            return line
        return next((normal for normal in self._normal(line) if normal != line), line)

    def _below(self, rest: Sequence[_Below]) -> Iterator[Pasted]:
        """Yield the lines below one that begins an event: those of throwables and messages of several lines."""
        skipping = False
        at = 0
        while at < len(rest):
            place, label, text = rest[at]
            at += 1
            self.counts["prefix"] += bool(label)
            if not text or _FENCE.match(text):
                self.counts["blank"] += not text
                continue
            if undated(f". {text}") == ".":
                self.counts["dated"] += 1
                continue
            thrown, joined = _throwable(text, [each.text for each in rest[at:]])
            self.counts["joined"] += joined
            at += joined
            if thrown is not None or _TRACE.match(text) or not self._is_prose(text):
                skipping = skipping and thrown is None and not _TRACE.match(text)
                yield Pasted(self._label, *place, thrown or text)
                continue
            self.counts["prose"] += 1
            if not skipping:  # what follows belongs to no line of the log
                yield Pasted(self._label, *place, "")
            skipping = True

    def _is_prose(self, text: str) -> bool:
        is_tail = _ends(text) and _SENTENCE.fullmatch(text) is None
        return _PROSE.match(text) is not None and not is_tail


def _pieces(line: str, below: Sequence[str]) -> list[str]:
    """Return a line and those below it that may be its rest: it was wrapped at a width, so only the last is short."""
    pieces = [line]
    for text in below[:_MOST_JOINED]:
        if not text or len(pieces[-1]) < _WRAPPED or _FRAME.match(text):
            break
        pieces.append(text)
    return pieces


def _throwable(text: str, below: Sequence[str]) -> tuple[str | None, int]:
    """Return the first line of a throwable that the line table has, and the number of lines below that belong to it;
    None if this is no such line."""
    shown = text.strip().strip("`>* ")
    if isinstance(parse_throwable(shown, tail=False), Event):
        return shown, 0
    if not _TRACE.match(shown) or len(text) < _WRAPPED:
        return None, 0
    pieces = [shown]
    for each in below[:3]:
        if not each or _TRACE.match(each):
            break
        pieces.append(each)
        for made in joints(pieces):
            if isinstance(parse_throwable(made, tail=False), Event):
                return made, len(pieces) - 1
    return None, 0


def paste_of(texts: Sequence[str]) -> Paste:
    """Return how a pasted text that begins with these lines is read."""
    shown = [text for _, text in _apart(texts)]
    timeless = not any(_TIMED.search(unlabelled(text)[1][: _PREFIX + 60]) for text in shown)
    found = [first for text in shown if (first := begin(text, timeless=timeless)) is not None]
    labels = {first.label for first in found if first.label}
    timed = [text for text in shown if _TIMED.match(text) is not None]
    longest = max(map(len, timed), default=0)
    cut = any(map(_ends, timed)) or sum(len(text) == longest for text in timed) * 2 > len(timed) > 2
    return Paste(timeless, len(labels) > 1, cut)


def shows_paste(texts: Sequence[str]) -> bool:
    """Return True if lines, some of which are in a known layout, may have been pasted: only then they are read both
    ways."""
    whole, own = "\n".join(texts), [*map(is_default, texts)]
    others = itertools.compress(texts, map(operator.not_, own))  # no tool prints a line that begins as one of a log
    if tells(texts) or any(map(Outputs().takes, others)) or (_OF_SIGNS.search(whole) and _SIGNS.search(whole)):
        return True
    ended = [*map(_ends, texts)]
    ends = [*itertools.compress(ended, own)]
    last = next((text for text in reversed(texts) if text.strip()), "")
    is_cut = len(texts) < HEAD and is_default(last) and not _ends(last)
    if sum(ends) * 2 < len(ends) or is_cut:
        return True
    if any(mark in whole for mark in _RUN_ON):
        return True
    for before, has_ended, text in zip(texts, ended, texts[1:], strict=False):
        if not before and text[:1].strip() and _TRACE.match(text) is not None:
            return True
        if len(text) < _DATE_ENDS and _DATED.fullmatch(text) is not None:
            return True
        is_wrapped = not has_ended and len(before) >= _WRAPPED and text and _TIMED.match(before) is not None
        if is_wrapped and _TRACE.match(text) is None and begin(text, timeless=False) is None:
            return True
    if any(text[-1:] not in ")]" and undated(text) is not None for text in texts):
        return True
    return "  " not in whole and "\t" not in whole and _shows_single_spaces(texts)


def _ends(text: str) -> bool:
    """Return True if a line ends with the name of a logger, or a thread after it."""
    return _ENDS.search(text, max(len(text) - _PREFIX, 0)) is not None


def tells(texts: Sequence[str]) -> bool:
    """Return True if lines are part of what a person wrote: it begins with a sentence, or is fenced as in Markdown."""
    first = next((text for text in texts if text.strip()), "")
    return _SENTENCE.fullmatch(first.strip()) is not None or any(map(_FENCE.match, texts))


def _shows_single_spaces(texts: Sequence[str]) -> bool:
    """Return True if a line, of those without two spaces in sequence, is of the table only with two."""
    return any(_may_be_widened(text) and isinstance(_read(text), Unknown) and widened(text) for text in texts)


class Score(NamedTuple):
    """The part of a text that is understood in one way to read it."""

    known: int
    """Lines that the line table has."""
    thrown: int
    """Throwables below the line that they belong to."""
    bearing: int
    """Lines that bear on a rule."""

    @staticmethod
    def of(lines: Iterable[tuple[str, str]]) -> Score:
        """Return the score of lines (writer, text)."""
        known = thrown = bearing = 0
        before: dict[str, bool] = {}
        for label, text in lines:
            parsed = _read(text)
            is_thrown = isinstance(parsed, Event) and parsed.level is None
            is_thrown = is_thrown and not _stands_alone(parsed)
            known += _is_known(parsed) and not is_thrown
            thrown += is_thrown and before.get(label, False)
            bearing += isinstance(parsed, Event) and not is_thrown
            before[label] = _is_known(parsed) and not is_thrown
        return Score(known, thrown, bearing)


def notes(paste: Paste, reader: Reader) -> list[str]:
    """Return what was done to the lines of a pasted text."""
    counts = reader.counts
    found = []
    if paste.timeless:
        found.append("no line has a time: they are in the order of the file, and nothing has a length")
    texts = {
        "prefix": "behind a prefix",
        "joined": "joined to the line above, which was wrapped",
        "widened": "with one space where Kafka prints two",
        "cut": "cut, read as far as they go",
        "dated": "with a date of the viewer, which was left out",
        "blank": "blank, left out",
        "prose": "that are no log, left out",
        "output": "that a tool printed, a state at one moment",
    }
    found += [f"{counts[name]} line{'s' * (counts[name] != 1)} {text}" for name, text in texts.items() if counts[name]]
    return found + reader.outputs.words()
