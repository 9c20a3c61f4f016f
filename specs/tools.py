"""Calls of Kafka's own tools as a release has them. Data: tools.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from . import toml
from .errors import TableError
from .release_sets import TAGS, span


@dataclass(frozen=True)
class Call:
    """A call, or the beginning of one, that some releases spell otherwise."""

    now: str
    """The call of the newest release."""
    releases: int
    """Bitmask of the releases that spell it otherwise."""
    instead: str
    """The call of those releases; empty: they have no such tool."""
    source: str
    """A class or script of Kafka, and the change."""


ROW_OF: Mapping[str, int] = {tag: index for index, tags in enumerate(TAGS) for tag in tags}
"""The rows of releases.toml by release, with its patch number."""


@cache
def calls() -> tuple[Call, ...]:
    """Return all of them, in the order of the file.

    Raises:
        TableError: a row lacks a key, or stands behind a part of its call.
    """
    found: list[Call] = []
    for row in toml.read(toml.FOLDER / "tools.toml")["call"]:
        where = f"tools.toml, {row.get('now', 'a row without now')}"
        toml.check_keys(row, where, ("now", "releases", "instead", "source"))
        one = Call(row["now"], span(row["releases"]), row["instead"], row["source"])
        if any(each.now in one.now and each.releases & one.releases for each in found):
            raise TableError(f"{where}: it is never read, as a part of it comes before")
        found.append(one)
    return tuple(found)


def of_release(text: str, tag: str | None) -> str | None:
    """Return a text with its calls as a release has them; None if it has no such tool.

    Args:
        tag: the release, "3.7.1"; None: the newest.
    """
    row = len(TAGS) - 1 if tag is None else ROW_OF[tag]
    for each in calls():
        if each.now in text and each.releases >> row & 1:
            if not each.instead:
                return None
            return text.replace(each.now, each.instead)
    return text
