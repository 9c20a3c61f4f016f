"""What goes wrong when a cluster is recorded, told to the user who started it."""

from __future__ import annotations

from ...specs.errors import IsrproofError


class RecordError(IsrproofError, RuntimeError):
    """A recording cannot be made: the message says what was expected, what was found and what to do."""


class RecordingError(IsrproofError, ValueError):
    """A file is no part of a recording, or a broken one."""
