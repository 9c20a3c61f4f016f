"""Recognition of an event table by its manifest, without what reading it needs."""

from __future__ import annotations

import os
from pathlib import Path

NAME = "_isrproof.json"
"""The manifest's name; readers of Parquet skip files that begin with an underscore."""


def is_event_table(path: str | Path) -> bool:
    """Return whether a path is an event table."""
    return os.path.isfile(os.path.join(path, NAME))
