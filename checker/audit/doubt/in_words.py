"""Doubts as a report shows them: what is in doubt, what is not taken for granted, and which sign raises it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..files.file import LogFile
from ..history import doubts as effects
from ..history.doubts import Doubt, Doubts
from ..history.spans import LINES_PER_FILE
from .signs import SIGNS

_SHOWS = {sign.name: sign.shows for sign in SIGNS}


@dataclass(frozen=True)
class InDoubt:
    """Lines that cannot be taken at their word."""

    sign: str
    """The name of the sign that raises the doubt."""
    shows: str
    """A description of what the log shows, as a clause."""
    of: str
    """The lines that are in doubt."""
    means: str
    """The property of these lines that is in doubt, as a clause."""

    def __str__(self) -> str:
        return f"{self.of}: {self.means}, because {self.shows}"


def in_words(doubts: Doubts, files: Mapping[int, LogFile]) -> dict[int, tuple[InDoubt, ...]]:
    """By cluster what is in doubt, in a fixed order."""
    found: dict[int, set[InDoubt]] = defaultdict(set)
    for each in doubts.raised:
        cluster, of = _lines(each, files)
        found[cluster].add(InDoubt(each.sign, _SHOWS[each.sign], of, each.effect.means))
    return {cluster: tuple(sorted(own, key=lambda each: (each.of, each.sign))) for cluster, own in found.items()}


def _lines(doubt: Doubt, files: Mapping[int, LogFile]) -> tuple[int, str]:
    """The cluster that a doubt is about, and the lines."""
    of: Any = doubt.of
    if doubt.effect in (effects.GAPPED, effects.MIXED):
        return of, "all lines"
    if doubt.effect is effects.START_MISSING:
        cluster, controller, epoch = of
        return cluster, f"controller {controller} in epoch {epoch}"
    if doubt.effect is effects.DISORDERED:
        file, controller, epoch = of
        return files[file].cluster, f"{files[file].path}, controller {controller} in epoch {epoch}"
    if doubt.effect is effects.LESS_LOGGED:
        index, first, last = of
        file = files[index]
        until = "on" if last >= LINES_PER_FILE else f"to {file.place(last).line}"
        return file.cluster, f"{file.path}, lines {file.place(first).line} {until}"
    return files[of].cluster, files[of].path
