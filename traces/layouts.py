"""How a logger dresses a message: time, level, logger's name, thread, and what other programs put in front.

A layout splits a line into time, level, message and logger. The default of every Kafka release, `[%d] %p %m (%c)`, is
read by position; any other log4j pattern becomes one anchored regular expression, the same in Python and in Java.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from ..specs.errors import IsrproofError

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
DEFAULT_PATTERN = "[%d] %p %m (%c)"

TIME = "[12][0-9]{3}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[,.][0-9]{1,9})?(?:Z|[+-][0-9:]{2,6})?"
_LEVEL = "TRACE|DEBUG|INFO|WARN|ERROR|FATAL"
_LOGGER = "[A-Za-z_$][A-Za-z0-9_.$-]*"
_PARTS = {
    "d": ("time", TIME),
    "p": ("level", _LEVEL),
    "m": ("message", ".*"),
    "c": ("logger", _LOGGER),
    "t": ("thread", r"[^\[\]]*"),
}
_NAMES = {"date": "d", "level": "p", "message": "m", "msg": "m", "logger": "c", "thread": "t"}
_CONVERSION = re.compile(r"%(?:(%)|(-?[0-9]*)(?:\.-?[0-9]+)?(" + "|".join(_NAMES) + r"|[A-Za-z])((?:\{[^}]*\})*))")
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")


def escape(text: str) -> str:
    """`text` as a pattern that Python and Java read alike."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@dataclass(frozen=True)
class Layout:
    """`regex` has the groups of `groups`, in that order; it is anchored by whoever uses it."""

    name: str
    regex: str
    groups: tuple[str, ...]

    @property
    def compiled(self) -> re.Pattern[str]:
        return _compiled(self.regex)

    def normal(self, text: str) -> str | None:
        """The line as the default layout would print it, or None if this layout did not print it."""
        match = self.compiled.fullmatch(text)
        if match is None:
            return None
        parts = dict(zip(self.groups, match.groups(), strict=True))
        return DRESS.format(time=parts.get("time", ""), level=parts.get("level", ""), message=parts["message"],
                            logger=parts.get("logger", ""))  # fmt: skip


DRESS = "[{time}] {level} {message} ({logger})"


@lru_cache(maxsize=256)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.DOTALL)


@cache
def layout(pattern: str) -> Layout:
    """The layout of a log4j pattern such as `%d{ISO8601} %-5p [%t] %m (%c)%n`; it must contain %m.

    Understood: %d %p %m %c %t %n %% and their long names, with padding and options; any other conversion reads a word.
    """
    groups: list[str] = []
    regex, at = "", 0
    for found in _CONVERSION.finditer(pattern):
        regex += escape(pattern[at : found.start()])
        at = found.end()
        percent, padding, name, _ = found.groups()
        letter = _NAMES.get(name, name)
        if percent:
            regex += "%"
        elif letter in _PARTS and _PARTS[letter][0] not in groups:
            group, inner = _PARTS[letter]
            groups.append(group)
            regex += f" *({inner}) *" if padding else f"({inner})"
        elif letter != "n":
            regex += "[^ ]*"
    regex += escape(pattern[at:])
    if "message" not in groups:
        raise IsrproofError(
            f"Expected a log4j pattern with the message (%m), such as {DEFAULT_PATTERN!r}, got {pattern!r}."
        )
    return Layout(pattern, regex, tuple(groups))


PREFIXED = Layout(
    "container prefix",
    rf".{{0,200}}?(?:\| +|: ?|Z )\[({TIME})\] +({_LEVEL}) +(.*) \(({_LOGGER})\)",
    ("time", "level", "message", "logger"),
)
KNOWN: tuple[Layout, ...] = (
    PREFIXED,
    layout("%d %p %m (%c) [%t]%n"),
    layout("%d %p %m (%c)%n"),
    layout("[%d] [%-5p] [%t] [%c] - %m%n"),
    layout("[%d] %p %m (%c) [%t]%n"),
    layout("%d [%-5p] [%t] %c - %m%n"),
    layout("%d %-5p [%t] %c - %m%n"),
)
"""Tried in this order on a line that is not in the default layout, if no pattern was given."""
