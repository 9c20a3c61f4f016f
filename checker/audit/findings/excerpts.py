"""The lines that findings name, read again from their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ....traces.place import Place
from .finding import Finding

_LONGEST = 1000


At = tuple[int, int | None]
"""A line of a file, and which part of it; None for the first."""
Wanted = dict[str, set[At]]
Texts = Mapping[str, Mapping[At, str]]


def with_excerpts(findings: Sequence[Finding], texts_of: Callable[[Wanted], Texts]) -> tuple[Finding, ...]:
    """The findings, each with the text of its line; `texts_of` reads them, by file.

    What stands at an offset of a binary log has no text.
    """
    wanted: Wanted = defaultdict(set)
    for place in (finding.place for finding in findings):
        if place.line is not None:
            wanted[place.file].add((place.line, place.part))
    texts = texts_of(wanted) if wanted else {}
    return tuple(replace(each, excerpt=_text(each.place, texts)) for each in findings)


def _text(place: Place, texts: Texts) -> str:
    return "" if place.line is None else texts[place.file].get((place.line, place.part), "")[:_LONGEST]
