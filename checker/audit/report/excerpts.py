"""The lines that findings name, read again from their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from ....traces.sources import Lines, is_elsewhere
from .finding import Finding

_LONGEST = 1000


Wanted = dict[str, set[int]]
Texts = dict[str, dict[int, str]]


def with_excerpts(findings: Sequence[Finding], elsewhere: Callable[[Wanted], Texts]) -> tuple[Finding, ...]:
    """The findings, each with the text of its line; `elsewhere` reads lines of files that are not on this machine."""
    here: Wanted = defaultdict(set)
    there: Wanted = defaultdict(set)
    for finding in findings:
        (there if is_elsewhere(finding.file) else here)[finding.file].add(finding.line)
    texts = {path: Lines(path).chosen(numbers) for path, numbers in here.items()}
    if there:
        texts |= elsewhere(there)
    return tuple(replace(f, excerpt=texts[f.file].get(f.line, "")[:_LONGEST]) for f in findings)
