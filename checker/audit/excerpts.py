"""The lines that findings name, read again from their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...traces.sources import Lines
from .finding import Finding

_LONGEST = 1000


def with_excerpts(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, each with the text of its line; without it where the file is not on this machine."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for finding in findings:
        wanted[finding.file].add(finding.line)
    texts = {path: _lines(path, numbers) for path, numbers in wanted.items() if Path(path).is_file()}
    return tuple(replace(f, excerpt=texts.get(f.file, {}).get(f.line, "")) for f in findings)


def _lines(path: str, numbers: set[int]) -> dict[int, str]:
    last = max(numbers)
    found = {}
    for number, text in enumerate(Lines(path), start=1):
        if number in numbers:
            found[number] = text[:_LONGEST]
        if number >= last:
            break
    return found
