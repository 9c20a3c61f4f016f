"""Errors of the caller or in the data; the command line shows the message and exits 2."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable

DEBUG = "ISRPROOF_DEBUG"
"""With this variable set an error that nobody expected shows its trace."""


class IsrproofError(Exception):
    """Base of the project's errors: the message says what was expected, what came, and what to do."""


class UnknownNameError(IsrproofError, ValueError):
    """A name that is in none of the tables."""


class TableError(IsrproofError, ValueError):
    """A data file of specs/ contradicts itself: rows overlap, leave a hole, or name what does not exist."""


def unknown(kind: str, name: str, choices: Iterable[str]) -> UnknownNameError:
    """The error for `name`, which is no `kind`, with the nearest of `choices`, or all of them if none is near."""
    import difflib

    known = list(choices)
    near = difflib.get_close_matches(name, known, n=5, cutoff=0.5)
    alike = {each: difflib.SequenceMatcher(None, each, name).ratio() for each in near}
    best = max(near, key=lambda each: (alike[each], sum(map(str.__eq__, each, name))), default=None)
    hint = f"Did you mean {best!r}?" if best is not None else f"Known: {', '.join(known)}."
    return UnknownNameError(f"Unknown {kind} {name!r}. {hint}")


def in_one_line(error: BaseException) -> str:
    """Return the text of an error that no part of the project has a message for, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{' '.join(f'{type(error).__name__}: {error}'.split())[:300]}{place}"


def defect(what: str) -> str:
    """The line about an error of ours."""
    return f"this is a defect of isrproof: {what}; {DEBUG}=1 shows the trace."
