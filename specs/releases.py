"""Kafka's releases as rows, with what behaviours.toml says of each. Data: releases.toml.

Sets of releases are bitmasks (release_sets.py); their functions are here too, for all users of releases. Where a
controller keeps its metadata, in ZooKeeper or in KRaft, is its *mode*: no release, but a column beside it, for some
releases can run in either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import toml
from .behaviours import BEHAVIOURS, selected
from .errors import IsrproofError
from .release_sets import ALL, ANY_MODE, FILE, MODES, check_cover, in_mode, named, names, span

__all__ = [
    "ALL",
    "ANY_MODE",
    "MODES",
    "RELEASES",
    "Release",
    "check_cover",
    "in_mode",
    "latest",
    "names",
    "release",
    "span",
]


@dataclass(frozen=True)
class Release:
    """A row: the release `tags[0]`, and those after it that behave and log alike; `modes` it can run in.

    * `behaviours`: ids of the behaviours this release has, in the order of behaviours.toml.
    * `state_change_level`: the level of state.change.logger in the log4j.properties that the release ships.
    """

    name: str
    index: int
    modes: tuple[str, ...]
    tags: tuple[str, ...]
    behaviours: tuple[str, ...]
    state_change_level: str

    @property
    def mask(self) -> int:
        return 1 << self.index


def _load() -> Iterator[Release]:
    table = toml.read(FILE)
    levels = [(selected(row, ALL), str(row["level"])) for row in table["state_change_level"]]
    check_cover((mask for mask, _ in levels), ALL, "releases.toml, state_change_level")
    for index, row in enumerate(table["release"]):
        yield Release(
            row["name"],
            index,
            tuple(row["modes"]),
            tuple(row["tags"]),
            behaviours=tuple(id for id, one in BEHAVIOURS.items() if one.releases >> index & 1),
            state_change_level=next(level for mask, level in levels if mask >> index & 1),
        )


RELEASES: tuple[Release, ...] = tuple(_load())


def latest(mask: int = ALL) -> Release:
    """The newest release of a mask."""
    if not 0 < mask <= ALL:
        raise IsrproofError(f"Expected a mask with at least one release, got {mask}.")
    return RELEASES[mask.bit_length() - 1]


def release(name: str) -> Release:
    """The row of a release: "2.0.0", "2.3.1" (row 2.3), "0.10.2.1" (row 0.10.2).

    A line without a patch number that has several rows ("2.8") is its newest row; `span` gives all of them.
    Unknown lines raise UnknownNameError with the nearest row; an unknown patch of a known line is its newest row.
    """
    return latest(named(name))
