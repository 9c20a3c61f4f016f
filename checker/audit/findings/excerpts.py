"""The lines that findings name, read again from their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from ....traces.place import Place
from ....traces.sources.paths import is_elsewhere
from ....traces.sources.text import Lines
from .finding import Finding

_LONGEST = 1000


Wanted = dict[str, set[int]]
Texts = dict[str, dict[int, str]]


def with_excerpts(findings: Sequence[Finding], elsewhere: Callable[[Wanted], Texts]) -> tuple[Finding, ...]:
    """The findings, each with the text of its line; `elsewhere` reads lines of files that are not on this machine.

    What stands at an offset of a metadata log keeps the text that it has.
    """
    here: Wanted = defaultdict(set)
    there: Wanted = defaultdict(set)
    for place in (finding.place for finding in findings):
        if place.line is not None:
            (there if is_elsewhere(place.file) else here)[place.file].add(place.line)
    texts: Texts = {path: Lines(path).chosen(numbers) for path, numbers in here.items()}
    if there:
        texts |= elsewhere(there)
    return tuple(
        each if each.place.line is None else replace(each, excerpt=_text(each.place, texts)) for each in findings
    )


def _text(place: Place, texts: Texts) -> str:
    return "" if place.line is None else texts[place.file].get(place.line, "")[:_LONGEST]
