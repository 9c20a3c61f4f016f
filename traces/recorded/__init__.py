"""Recordings of real clusters (README.md); one of them is part of the installed package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

DEMO = "chaos-1.1.1-2"
"""Kafka 1.1.1, five controller epochs, brokers killed: it has findings of four rules."""


@contextmanager
def recording(name: str) -> Iterator[Path]:
    """Return the folder of a bundled recording: any in a checkout, `DEMO` in an installed package."""
    with as_file(files(__name__) / name) as folder:
        yield folder
