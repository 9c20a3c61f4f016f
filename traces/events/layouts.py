"""Layouts of log lines: time, level, logger's name, thread, and the prefixes of other programs.

A layout splits a line into time, level, message and logger. The default of every Kafka release, `[%d] %p %m (%c)`, is
read by position; any other log4j pattern becomes one anchored regular expression, the same in Python and in Java.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise

from ...specs.errors import IsrproofError
from ...specs.formats import layouts
from ...specs.lines import rows
from ...specs.machines import LEVELS
from ..limits import WORD

DEFAULT_PATTERN = "[%d] %p %m (%c)"

# Date, time of day and milliseconds in three groups; a time without milliseconds has the form after it.
_DATE = "([12][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9])[ T]([0-9][0-9]:[0-9][0-9]:[0-9][0-9])"
_ZONE = "(?:Z|[+-][0-9:]+)?"
TIMES = (f"{_DATE}[,.]([0-9][0-9][0-9])[0-9]*{_ZONE}", f"{_DATE}()[,.]?[0-9]*{_ZONE}")
_LEVEL = "|".join(LEVELS)
_LOGGER = "[A-Za-z_$][A-Za-z0-9_.$-]*"
_WORD = f"[^ ]{{0,{WORD.most}}}"
_THREAD = r"[^\[\]]*"
_PARTS = {
    "d": ("time", "{time}"),
    "p": ("level", _LEVEL),
    "m": ("message", ".*"),
    "c": ("logger", _LOGGER),
    "t": ("thread", _THREAD),
}
_OPEN = {"word": re.compile("[^ ]"), "thread": re.compile(r"[^\[\]]"), "logger": re.compile("[A-Za-z0-9_.$-]")}
"""The characters of conversions whose end only what follows them can show."""
_MOST_UNCERTAIN = 1
"""Largest number of conversions besides %m that go on with the character after them: with each, the number of ways to
read a line is multiplied."""
_BEGINS = "(?! )"
"""The beginning of a message after any number of spaces: trying all of them on a long line would take forever."""
_NAMES = {"date": "d", "level": "p", "message": "m", "msg": "m", "logger": "c", "thread": "t"}
_CONVERSION = re.compile(r"%(?:(%)|(-?[0-9]*)(?:\.-?[0-9]+)?(" + "|".join(_NAMES) + r"|[A-Za-z])((?:\{[^}]*\})*))")
_SPACES = re.compile(r"(?: \*?){2,}")
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")


def escape(text: str) -> str:
    """Return `text` as a pattern that Python and Java read alike."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@dataclass(frozen=True)
class Layout:
    """A layout of lines as a regular expression."""

    name: str
    regex: str
    """Has the groups of `groups`, in that order, and {time} for the time; its user anchors it."""
    groups: tuple[str, ...]
    short: bool = False
    """The layout prints only the last word of a logger's name."""
    opens: bool = False
    """The line begins with an arbitrary word."""

    @cached_property
    def forms(self) -> tuple[tuple[str, tuple[str | int, ...]], ...]:
        """Patterns to try in order, each with the pieces of the line in the default layout: texts, and numbers of
        groups."""
        numbers: dict[str, int] = {}
        at = 1
        for group in self.groups:
            numbers[group] = at
            at += 3 if group == "time" else 1
        forms: list[tuple[str, tuple[str | int, ...]]] = []
        first = numbers.get("time")
        for time, has_millis in zip(TIMES, (True, False), strict=True):
            millis: str | int = first + 2 if first and has_millis else "000"
            shown: tuple[str | int, ...] = (first, " ", first + 1, ",", millis) if first else (NO_TIME,)
            rest = (numbers.get("level", "INFO"), " ", numbers["message"], " (", numbers.get("logger", NO_LOGGER), ")")
            forms.append((self.regex.replace("{time}", time), ("[", *shown, "] ", *rest)))
        return tuple(forms) if first else tuple(forms[:1])

    def normal(self, text: str) -> str | None:
        """Return the line in the default layout, or None if the line is not in this layout."""
        for regex, pieces in self.forms:
            match = _compiled(regex).fullmatch(text)
            if match is not None:
                texts = [piece if isinstance(piece, str) else match[piece] for piece in pieces]
                if self.short:
                    texts[-2] = logger_named(texts[-2])
                return "".join(texts)
        return None


NO_TIME = "1970-01-01 --:--:--,---"
NO_LOGGER = "?"
"""Stands for a logger's name in layouts that print none: rows of every logger may match."""


@cache
def _loggers() -> dict[str, str]:
    return {name.rpartition(".")[2]: name for row in rows().values() for name, _ in row.loggers}


def logger_named(word: str) -> str:
    """Return the logger in the line table whose name ends as this word does, or the word if there is none."""
    return _loggers().get(word.rpartition(".")[2], word)


@lru_cache(maxsize=256)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.DOTALL)


@cache
def layout(pattern: str) -> Layout:
    """Return the layout of a log4j pattern such as `%d{ISO8601} %-5p [%t] %m (%c)%n`, which must contain %m.

    It understands %d %p %m %c %t %n %% and their long names, with padding and options; any other conversion reads a
    word.

    Raises:
        IsrproofError: it lacks %m, or there are too many ways in which a line can be in it.
    """
    groups: list[str] = []
    short = opens = False
    regex, at = "", 0
    kinds: list[str] = []
    for found in _CONVERSION.finditer(pattern):
        regex += escape(pattern[at : found.start()])
        kinds += pattern[at : found.start()]
        at = found.end()
        percent, padding, name, options = found.groups()
        letter = _NAMES.get(name, name)
        if percent:
            regex += "%"
            kinds += "%"
        elif letter in _PARTS and _PARTS[letter][0] not in groups:
            group, inner = _PARTS[letter]
            groups.append(group)
            short |= letter == "c" and options == "{1}"
            inner = inner if group == "time" else f"({inner})"
            before = " *" if padding and group != "thread" else ""
            if group == "message" and (regex + before).endswith(("* ", " *")):
                inner = _BEGINS + inner
            after = before if group != "message" else ""  # messages and threads take spaces as they are
            regex += before + inner + after
            kinds.append(group)
        elif letter != "n" and kinds[-1:] != ["word"]:  # words without a space between them are one
            opens |= not regex
            regex += _WORD
            kinds.append("word")
    regex += escape(pattern[at:])
    kinds += pattern[at:]
    if "message" not in groups:
        raise IsrproofError(
            f"Expected a log4j pattern with the message (%m), such as {DEFAULT_PATTERN!r}, got {pattern!r}."
        )
    pairs = [(kind, after) for kind, after in pairwise([*kinds, ""]) if kind in _OPEN]
    uncertain = [kind for kind, after in pairs if len(after) == 1 and _OPEN[kind].match(after)]
    endless = any(kind == "message" and after in ("thread", "logger") for kind, after in pairwise(kinds))
    if len(uncertain) > _MOST_UNCERTAIN or endless or any(len(after) > 1 for _, after in pairs):
        raise IsrproofError(
            f"Expected a log4j pattern whose conversions end at a character that they lack, such as a space, got"
            f" {pattern!r:.200}: there are too many ways to read a line."
        )
    if "thread" in uncertain:
        regex = regex.replace(_THREAD, f"{_THREAD[:-1]}{{0,{WORD.most}}}")
    return Layout(pattern, _SPACES.sub(_once, regex), tuple(groups), short, opens)


def _once(spaces: re.Match[str]) -> str:
    """Return the same spaces as a pattern in which only one part matches any number of them."""
    return " " * (len(spaces[0]) - 2 * spaces[0].count("*")) + " *" * ("*" in spaces[0])


_CUT = r"\[?[12][0-9]{3}-[0-9]{2}-[0-9]{2} [0-9]{2}:(?:[0-9]{2}:)?\["
"""A line that was cut within its time and runs into the next one; no prefix of a line looks like this."""
PREFIXED = Layout(
    "container prefix",
    rf"(?!{_CUT}).{{0,200}}?(?:\| +|: ?|Z )\[{{time}}\] +({_LEVEL}) +{_BEGINS}(.*) \(({_LOGGER})\)",
    ("time", "level", "message", "logger"),
)
_DEFAULT, _PADDED, *_OTHERS = (layout(row.pattern) for row in layouts().values() if row.pattern)
KNOWN: tuple[Layout, ...] = (_PADDED, PREFIXED, *_OTHERS)
"""Layouts of specs/layouts.toml, tried in this order on a line that is not in the default layout, unless a pattern was
given."""
WITH_THREAD = layout("[%d] %p %m (%c) [%t]%n")
"""A layout that begins like the default layout."""
