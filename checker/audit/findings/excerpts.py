"""The lines that findings name, read again from their files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from ....traces.place import Place
from ....traces.sources.paths import is_elsewhere
from ....traces.sources.text import Lines
from .finding import Finding

_LONGEST = 1000
_AROUND, _SHOWN = 3, 200
"""So many lines before and after are shown, of so many findings of one rule and verdict."""


Wanted = dict[str, set[int]]
Texts = dict[str, dict[int, str]]


def with_excerpts(findings: Sequence[Finding], elsewhere: Callable[[Wanted], Texts]) -> tuple[Finding, ...]:
    """The findings, each with the text of its line; `elsewhere` reads lines of files that are not on this machine.

    What stands at an offset of a metadata log keeps the text that it has.
    """
    wanted: Wanted = defaultdict(set)
    for place in (finding.place for finding in findings):
        if place.line is not None:
            wanted[place.file].add(place.line)
    texts = _read(wanted, elsewhere)
    return tuple(
        each if each.place.line is None else replace(each, excerpt=_text(each.place, texts)) for each in findings
    )


def lines_around(findings: Sequence[Finding], elsewhere: Callable[[Wanted], Texts]) -> Texts:
    """The lines that the first findings of each rule and verdict name, all their evidence, and those around them."""
    wanted: Wanted = defaultdict(set)
    met: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        met[finding.rule, finding.verdict] += 1
        if met[finding.rule, finding.verdict] <= _SHOWN:
            for place in (each.place for each in finding.evidence):
                if place.line is not None:
                    wanted[place.file].update(range(max(1, place.line - _AROUND), place.line + _AROUND + 1))
    texts = _read(wanted, elsewhere)
    return {path: {line: text[:_LONGEST] for line, text in sorted(of.items())} for path, of in sorted(texts.items())}


def _read(wanted: Wanted, elsewhere: Callable[[Wanted], Texts]) -> Texts:
    there = {path: numbers for path, numbers in wanted.items() if is_elsewhere(path)}
    texts: Texts = {path: Lines(path).chosen(numbers) for path, numbers in wanted.items() if path not in there}
    return texts | (elsewhere(there) if there else {})


def _text(place: Place, texts: Texts) -> str:
    return "" if place.line is None else texts[place.file].get(place.line, "")[:_LONGEST]
