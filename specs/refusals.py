"""Refused transitions that are known: when they happen, and whether they do harm. Data: refusals.toml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from . import toml
from .releases import span


@dataclass(frozen=True)
class Refusal:
    """A pair that the guard refuses, in the releases in which this explanation is true."""

    source: str
    target: str
    releases: int
    when: str
    harmless: bool
    issue: str | None = None


@cache
def refusals() -> tuple[Refusal, ...]:
    """All of them, in the order of the file."""
    found = []
    for row in toml.read(toml.FOLDER / "refusals.toml")["refusal"]:
        toml.check_keys(row, "refusals.toml", ("from", "to", "releases", "when", "harmless"), ("issue",))
        found.append(
            Refusal(row["from"], row["to"], span(row["releases"]), row["when"], row["harmless"], row.get("issue"))
        )
    return tuple(found)


def known_refusal(source: str, target: str, releases: int) -> Refusal | None:
    """The explanation that fits a pair in some of the releases that it may be."""
    fitting = (r for r in refusals() if (r.source, r.target) == (source, target) and r.releases & releases)
    return next(fitting, None)
