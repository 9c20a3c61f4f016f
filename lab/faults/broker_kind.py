"""A kind of fault in a broker's lines: the line that is changed, the change, and where it is decidable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Match = re.Match[str]
TIME = 25
"""Letters of a line that are its time."""


@dataclass(frozen=True)
class Kind:
    """A kind of fault: a matching line becomes the result of `change`, or is left alone (None).

    Some fields are patterns of lines about the same partition; a group of the changed line may be in them, as `{name}`.
    They are conditions: unless they hold, the fault is not decidable.
    """

    name: str
    pattern: str
    change: Callable[..., str | None]
    meaning: str
    """The fault."""
    after: str = ""
    """`change` also gets the last line above that matches it, of the same partition (group `tp`)."""
    earlier: str = ""
    """The same process wrote such a line before."""
    seen_before: str = ""
    """Any broker wrote such a line before."""
    later: str = ""
    """The same process writes such a line afterwards."""
    never: str = ""
    """The same process writes no such line afterwards."""
    not_seen_before: str = ""
    """The same process wrote no such line before."""
    process: bool = False
    """The log shows where processes start, and none does since the line above."""


def number(name: str, by: Callable[[Match], int | None]) -> Callable[[Match], str | None]:
    """Return a change that puts another number into the group `name`."""

    def change(match: Match) -> str | None:
        new = by(match)
        if new is None:
            return None
        return match.string[: match.start(name)] + str(new) + match.string[match.end(name) :]

    return change


def text(name: str, by: Callable[[Match], str | None]) -> Callable[[Match], str | None]:
    def change(match: Match) -> str | None:
        new = by(match)
        return None if new is None else match.string[: match.start(name)] + new + match.string[match.end(name) :]

    return change


def integer(match: Match, name: str) -> int:
    return int(match[name])
