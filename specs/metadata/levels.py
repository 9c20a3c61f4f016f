"""The levels of metadata.version, and what releases run them. Data: levels.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from .. import toml
from ..behaviours import BEHAVIOURS
from ..errors import IsrproofError
from ..releases import in_mode, latest, span

NAME = "metadata.version"
"""The feature's name in FeatureLevel records and in registrations."""
LEADER_RECOVERY, NO_EPOCH_ON_SHRINK = BEHAVIOURS["KIP-704"].level, BEHAVIOURS["KAFKA-15109"].level
DIRECTORIES, SHUTDOWN_TOLD = BEHAVIOURS["KIP-858"].level, BEHAVIOURS["KAFKA-13916"].level
"""Levels from which leader recovery states are written, from which the leader epoch is kept when the ISR shrinks, from
which registrations and partitions have directories, and from which a registration says that its broker shuts down."""
CORDONED = BEHAVIOURS["KIP-1066"].level
"""The level from which on registrations have cordoned directories."""
_BEFORE = "3.0-3.2"
"""Releases that register no range of levels."""


@dataclass(frozen=True)
class Level:
    """A level of metadata.version."""

    level: int
    name: str
    """Kafka's name of it, "3.6-IV1"."""
    release: str
    """The first release that has it."""
    changes: bool = False
    """Kafka refuses to lower metadata.version from it, or from above it, to below it."""


@dataclass(frozen=True)
class Feature:
    """A feature that a record can set to a level."""

    name: str
    newest: int
    """The newest level that is known."""
    bears: bool
    """Some rule rests on what the feature changes."""


@cache
def features() -> Mapping[str, Feature]:
    """All features that are known, metadata.version among them, by their names."""
    rows = _table()["feature"]
    for row in rows:
        toml.check_keys(row, f"levels.toml, {row.get('name')}", ("name", "newest"), ("bears",))
    known = [Feature(row["name"], row["newest"], row.get("bears", True)) for row in rows]
    return {each.name: each for each in (Feature(NAME, max(levels()), True), *known)}


def beyond(feature: str, level: int) -> bool:
    """Check whether rules may rest on an unknown level of a feature: the feature or the level is new."""
    there = features().get(feature)
    return level > 0 if there is None else there.bears and level > there.newest


@cache
def _table() -> Mapping[str, Any]:
    return toml.read(resources.files(__package__) / "levels.toml")


@cache
def levels() -> Mapping[int, Level]:
    """All levels, by their number."""
    rows = _table()["level"]
    for row in rows:
        toml.check_keys(row, f"levels.toml, {row.get('level')}", ("level", "name", "release"), ("brings", "changes"))
    return {row["level"]: Level(row["level"], row["name"], row["release"], row.get("changes", False)) for row in rows}


def changes_between(lower: int, upper: int) -> tuple[str, ...]:
    """The names of the levels over which metadata.version cannot fall from one to the other.

    Source: MetadataVersion.checkIfMetadataChanged.
    """
    return tuple(each.name for each in levels().values() if lower < each.level <= upper and each.changes)


def level_name(level: int) -> str:
    """Return Kafka's name of a level; its number if it is not known."""
    return levels()[level].name if level in levels() else str(level)


@cache
def jars(newest: int | None) -> int:
    """The releases whose newest level this is, as a mask; None stands for a registration that names no level."""
    if newest is None:
        return span(_BEFORE)
    known = [level for level in levels() if level <= newest]
    return _release(levels()[max(known)].release) if known else in_mode("kraft")


@cache
def running(level: int) -> int:
    """The releases that can run at a level, as a mask."""
    known = [each for each in levels() if each <= level]
    first = _release(levels()[max(known)].release) if known else 0
    return in_mode("kraft") & ~((first & -first) - 1) if first else in_mode("kraft")


def _release(name: str) -> int:
    """A release's rows; those of the newest one that is known if it came later."""
    try:
        return span(name)
    except IsrproofError:
        return latest().mask
