"""Text logs as a later release may write them: other words, loggers in other packages, a version that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from isrproof.traces.events.event import Event
from isrproof.traces.events.parse import parse_line

Lines = Sequence[str]
_LOGGER = re.compile(r"\((?:kafka|org\.apache\.kafka)\.(?:[a-z0-9_]+\.)*([A-Z][A-Za-z0-9$]*)\)(?=\s*$)")
_VERSION = re.compile(r"Kafka version: [0-9.]+")
_WORD = re.compile(r"(?<=[a-z]) (?=[a-z])")


def bearing_row(line: str) -> str | None:
    """The row of the line table that a line is, if rules may ask for it."""
    parsed = parse_line(line.rstrip("\n"))
    return parsed.row if isinstance(parsed, Event) else None


def reworded(line: str) -> str:
    """Return the line with a word that no release prints."""
    return _WORD.sub(" newly ", line, count=1)


def elsewhere(line: str) -> str:
    """Return the line as its class prints it from a package that no release has."""
    return _LOGGER.sub(r"(org.apache.kafka.later.home.\1)", line)


def newer(line: str) -> str:
    """Return the line as a process of a release prints it that nobody knows."""
    return _VERSION.sub("Kafka version: 5.1.0", line)


WAYS: Mapping[str, Callable[[str], str]] = {"reworded": reworded, "elsewhere": elsewhere, "newer": newer}


def changed(lines: Lines, way: str, chosen: Callable[[str | None], bool]) -> list[str]:
    """Return the lines, those of chosen rows changed; a version is one wherever it stands."""
    change = WAYS[way]
    return [change(line) if way == "newer" or chosen(bearing_row(line)) else line for line in lines]
