"""A report's notes for people: a note that applies to many files is printed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from .model import Report
from .shown import and_more

_NAMED = 3
"""The most files that are named in one note."""
_IS = ": "
"""The separator between a file's name and the note about it."""


def in_headline(not_known: Sequence[str]) -> str:
    """Return the first thing that this program does not know about the logs, and how many others there are."""
    first, *more = not_known
    return f"{first}, and {len(more)} more thing{'s' * (len(more) > 1)} that it does not know" if more else first


def in_short(report: Report) -> list[str]:
    """Return the notes, in order; notes that say the same about several files are one note."""
    names = {file.name for file in report.files}
    found: dict[str, list[str]] = defaultdict(list)
    for note in report.notes:
        name = _name(note, names)
        if name is None:
            found[note] = []
        else:
            found[note[len(name) + len(_IS) :]].append(name)
    return [_sentence(text, of) for text, of in found.items()]


def _name(note: str, names: Collection[str]) -> str | None:
    """Return the file that a note is about."""
    end = note.find(_IS)
    while end >= 0:
        if note[:end] in names:
            return note[:end]
        end = note.find(_IS, end + 1)
    return None


def _sentence(text: str, names: list[str]) -> str:
    if not names:
        return text
    if len(names) <= _NAMED:
        return f"{', '.join(names)}{_IS}{text}"
    return f"{len(names)} files{_IS}{text}: {and_more(names, _NAMED)}"
