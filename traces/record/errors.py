"""Errors of recording a cluster, reported to the user who started it."""

from __future__ import annotations

from ...specs.errors import IsrproofError


class RecordError(IsrproofError, RuntimeError):
    """A recording cannot be made: the message says what was expected, what was found and what to do."""


class RecordingError(IsrproofError, ValueError):
    """A file is not part of a recording, or is broken."""
