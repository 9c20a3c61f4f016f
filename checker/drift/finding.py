"""Findings of the gate: what Kafka has and the tables lack, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GROUPS: Mapping[str, str] = {
    "release": "Releases",
    "record": "Metadata records",
    "level": "Levels of metadata.version",
    "feature": "Levels of other features",
    "logger": "Loggers that moved",
    "line": "Lines that are gone, moved or changed",
    "new": "Lines that no row reads",
}
"""Groups of findings in the order of the report, with their headings."""
REMEDIES: Mapping[str, str] = {
    "release": "add a row to specs/releases.toml",
    "record": "add it to specs/metadata/records.toml",
    "level": "add a row to specs/metadata/levels.toml",
    "feature": "check what it adds, then raise it in specs/metadata/levels.toml (feature)",
    "logger": "add to specs/lines/ where the class is from this release on",
    "line": "end the variant in specs/lines/ before this release, and add one for what Kafka prints now",
    "new": "decide its role, then add a row or a variant to specs/lines/",
}
"""The remedy for the findings of a group."""


@dataclass(frozen=True, order=True)
class Finding:
    """A fact about Kafka that the tables do not have."""

    group: str
    """A key of GROUPS."""
    rank: int
    """0 for a finding that bears on a rule; findings of a group are sorted by it first."""
    subject: str
    """The type, level, logger or row that the finding is about."""
    text: str
    """The difference from the tables."""
    fails: bool
    """True if the gate fails because of it."""
    where: str = ""
    """The file of Kafka, with the line where there is one."""
