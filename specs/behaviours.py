"""Differences between releases, by KAFKA issue or KIP. Data: behaviours.toml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from . import toml
from .errors import TableError, unknown
from .release_sets import ALL, TAGS, span

KINDS = ("bug", "change")
RANGE_KEYS = ("with", "without")
"""Keys with which a row of another table says, by behaviour, in which releases it holds."""


@dataclass(frozen=True)
class Behaviour:
    """One way in which releases differ; `releases` is the mask of those that have it.

    `level`: the metadata.version from which on a cluster in KRaft mode has it; 0 if its releases alone decide.
    """

    id: str
    kind: str
    releases: int
    meaning: str
    source: str
    also: tuple[str, ...] = ()
    unfixed: bool = False
    level: int = 0

    @property
    def since(self) -> str:
        """First release that has it, "1.1.0"."""
        return TAGS[(self.releases & -self.releases).bit_length() - 1][0]

    @property
    def fixed_in(self) -> tuple[str, ...]:
        """First releases without a bug, one for each branch that was repaired; empty for a change or an unfixed bug."""
        if self.kind != "bug" or self.unfixed:
            return ()
        ends = self.releases << 1 & ~self.releases & ALL
        return tuple(tags[0] for index, tags in enumerate(TAGS) if ends >> index & 1)


def behaviour(id: str) -> Behaviour:
    """The behaviour of that id, "KAFKA-3143"; another raises UnknownNameError with the nearest one."""
    if id not in BEHAVIOURS:
        raise unknown("behaviour", id, BEHAVIOURS)
    return BEHAVIOURS[id]


def selected(row: Mapping[str, Any], whole: int) -> int:
    """The releases of a table's row: those of `whole` with every behaviour of its `with` and none of its `without`."""
    mask = whole
    for id in several(row.get("with", ())):
        mask &= behaviour(id).releases
    for id in several(row.get("without", ())):
        mask &= ~behaviour(id).releases
    return mask


def several(value: str | Iterable[str]) -> tuple[str, ...]:
    """The ids of a `with` or `without`: one, or a list of them."""
    return (value,) if isinstance(value, str) else tuple(value)


def _load() -> Mapping[str, Behaviour]:
    loaded: dict[str, Behaviour] = {}
    for row in toml.read(toml.FOLDER / "behaviours.toml")["behaviour"]:
        one = _behaviour(row)
        if one.id in loaded:
            raise TableError(f"behaviours.toml: {one.id} is there twice")
        loaded[one.id] = one
    return MappingProxyType(loaded)


def _behaviour(row: Mapping[str, Any]) -> Behaviour:
    where = f"behaviours.toml, {row.get('id', 'a row without id')}"
    toml.check_keys(row, where, ("id", "kind", "releases", "meaning", "source"), ("also", "unfixed", "level"))
    if row["kind"] not in KINDS:
        raise TableError(f"{where}: expected kind {' or '.join(KINDS)}, got {row['kind']!r}")
    return Behaviour(
        id=row["id"],
        kind=row["kind"],
        releases=span(row["releases"]),
        meaning=row["meaning"],
        source=row["source"],
        also=tuple(row.get("also", ())),
        unfixed=row.get("unfixed", False),
        level=row.get("level", 0),
    )


BEHAVIOURS: Mapping[str, Behaviour] = _load()
