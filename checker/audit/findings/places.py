"""Histories with the line numbers of files, for readers: a stream of a file has numbers of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..files.file import LogFile
from ..history.histories import Histories
from ..history.spans import Span
from ..history.statements import WordingLine
from .audited import Repeated


def in_files(histories: Histories, files: Mapping[int, LogFile]) -> Histories:
    """Return the same with the numbers that lines have in their files."""
    if all(file.numbering is None for file in files.values()):
        return histories
    return replace(histories, spans=tuple(_span(span, files[span.file]) for span in histories.spans))


def repeated_in_files(repeated: Mapping[int, Repeated], files: Mapping[int, LogFile]) -> dict[int, Repeated]:
    """Return the same with the numbers that lines have in their files."""
    return {index: _repeated(each, files[index]) for index, each in repeated.items()}


def _repeated(repeated: Repeated, file: LogFile) -> Repeated:
    """Return the same in file numbers; in a file with the newest line first, the first line comes after the last."""
    first, last = sorted((_line(file, repeated.first), _line(file, repeated.last)))
    return replace(repeated, first=first, last=last)


def _span(span: Span, file: LogFile) -> Span:
    first, last = sorted((_line(file, span.first), _line(file, span.last)))
    evidence = tuple(WordingLine(each.file, _line(file, each.line), each.row, each.releases) for each in span.evidence)
    return replace(span, first=first, last=last, evidence=evidence)


def _line(file: LogFile, number: int) -> int:
    return file.place(number).line or number
