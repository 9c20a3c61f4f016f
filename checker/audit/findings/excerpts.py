"""The lines that findings name, read from their files again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ....traces.place import Place
from .finding import Finding

_LONGEST = 1000
_AROUND, _SHOWN = 3, 200
"""The number of lines shown before and after, and the most findings of one rule and verdict that are shown that way."""


At = tuple[int, int | None]
"""A line of a file, and the part of it; None for the first."""
Wanted = dict[str, set[At]]
Texts = Mapping[str, Mapping[At, str]]


def with_excerpts(findings: Sequence[Finding], texts_of: Callable[[Wanted], Texts]) -> tuple[Finding, ...]:
    """Return the findings, each with the text of its line; `texts_of` reads them, by file.

    Places at an offset of a metadata log keep the text that they have.
    """
    wanted: Wanted = defaultdict(set)
    for place in (finding.place for finding in findings):
        if place.line is not None:
            wanted[place.file].add((place.line, place.part))
    texts = texts_of(wanted) if wanted else {}
    return tuple(
        each if each.place.line is None else replace(each, excerpt=_text(each.place, texts)) for each in findings
    )


def lines_around(
    findings: Sequence[Finding], also: Iterable[Place], texts_of: Callable[[Wanted], Texts]
) -> dict[str, dict[int, str]]:
    """Return the lines in the evidence of the first findings of each rule and verdict, the lines around them, and
    other places.

    A line that holds several events is left out: the lines beside one of its events are within it.
    """
    wanted: Wanted = defaultdict(set)
    met: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        met[finding.rule, finding.verdict] += 1
        if met[finding.rule, finding.verdict] <= _SHOWN:
            for place in (each.place for each in finding.evidence):
                if place.line is not None and place.part is None:
                    around = range(max(1, place.line - _AROUND), place.line + _AROUND + 1)
                    wanted[place.file].update((line, None) for line in around)
    for place in also:
        if place.line is not None and place.part is None:
            wanted[place.file].add((place.line, None))
    texts = texts_of(wanted) if wanted else {}
    return {
        path: {line: text[:_LONGEST] for (line, _), text in sorted(of.items())} for path, of in sorted(texts.items())
    }


def _text(place: Place, texts: Texts) -> str:
    return "" if place.line is None else texts[place.file].get((place.line, place.part), "")[:_LONGEST]
