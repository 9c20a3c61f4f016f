"""What goes wrong when a cluster is recorded, told to the user who started it."""

from __future__ import annotations


class RecordError(RuntimeError):
    """A recording cannot be made: the message says what was expected, what was found and what to do."""
