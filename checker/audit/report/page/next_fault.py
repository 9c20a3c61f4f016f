"""The page's answer to "what would the next fault do?". `checker/whatif/`, which knows the models, gives it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .....traces.metadata.files import MetadataFile


@dataclass(frozen=True)
class NextFault:
    """An answer for a cluster as its metadata log leaves it, if any one broker fails."""

    verdict: str
    """safe, unsafe or unknown."""
    sentence: str
    """The state that it is about, and how much was searched; or the reason why nothing was."""
    findings: tuple[str, ...] = ()
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Titles, with their lines."""
    path: tuple[str, tuple[str, ...]] | None = None
    """The shortest way to the worst: a title, and the steps with their records."""


NextFaultOf = Callable[[Sequence[MetadataFile]], NextFault | None]
"""Answers for the metadata log in some files; None: there is none, or no broker."""
