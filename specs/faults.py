"""Causes of failures outside Kafka's code, which a stack trace or a line gives away. Data: faults.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from . import toml


@dataclass(frozen=True)
class Cause:
    """A cause outside Kafka's code."""

    mark: str
    """A text that the line of a failure, or its stack trace, contains."""
    means: str
    source: str


@cache
def causes() -> tuple[Cause, ...]:
    """Return all causes, in the order of the file."""
    found = []
    for row in toml.read(toml.FOLDER / "faults.toml")["cause"]:
        toml.check_keys(row, f"faults.toml, {row.get('mark', '?')}", ("mark", "means", "source"))
        found.append(Cause(row["mark"], row["means"], row["source"]))
    return tuple(found)


def cause_of(texts: Sequence[str]) -> str | None:
    """Return the meaning of the first cause whose mark is in one of the texts of a failure; None if there is none."""
    return next((each.means for each in causes() if any(each.mark in text for text in texts)), None)
