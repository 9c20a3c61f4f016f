"""What a kind of fault in a broker's lines is: which line is changed, into what, and where it is decidable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Match = re.Match[str]
TIME = 25
"""Letters of a line that are its time."""


@dataclass(frozen=True)
class Kind:
    """A line that matches becomes what `change` makes of it, or is left alone (None). `meaning` is the fault.

    `after`: a pattern; `change` also gets the last line above that matches it, of the same partition (group `tp`).
    `earlier`, `later`, `never`, `not_seen_before`: patterns; the same process writes such a line of the partition
    before it, afterwards, or none afterwards, or none before; a group of the line that is changed may stand in them, as
    `{name}`. `seen_before`: any broker wrote such a line of the partition before it. `process`: the log shows where
    processes start, and none does since the line above. Where that is not so the fault is not decidable.
    """

    name: str
    pattern: str
    change: Callable[..., str | None]
    meaning: str
    after: str = ""
    earlier: str = ""
    seen_before: str = ""
    later: str = ""
    never: str = ""
    not_seen_before: str = ""
    process: bool = False


def number(name: str, by: Callable[[Match], int | None]) -> Callable[[Match], str | None]:
    """Another number in the group `name`."""

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
