"""Kafka's releases as rows, and sets of releases as bitmasks.

A set of releases is a plain int everywhere, in Python and in Spark: bit `release.index` is set when the release is in
it. `mask & span("<=2.2") == 0` says that none of `mask` is at or before 2.2. Fewer than 63 rows, so that a mask is
non-negative in a signed 64-bit column. Data: releases.toml.

Where a controller keeps its metadata, in ZooKeeper or in KRaft, is its *mode*: no release, but a column beside it, for
some releases can run in either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from . import toml
from .errors import IsrproofError, TableError, unknown

MODES: Mapping[str, str] = {"zk": "ZooKeeper", "kraft": "KRaft"}
"""Modes that a controller can run in, with their names for people."""
ANY_MODE = "any"
"""What stands for a mode where it does not matter."""

_FILE = toml.FOLDER / "releases.toml"
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,3}")


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("."))


def _line(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """What a patch number is added to: 2.3 of 2.3.1, and 0.10.2 of 0.10.2.1."""
    return numbers[:3] if numbers[0] == 0 else numbers[:2]


@dataclass(frozen=True)
class Release:
    """A row: the release `tags[0]`, and those after it that behave and log alike; `modes` it can run in."""

    name: str
    index: int
    modes: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def mask(self) -> int:
        return 1 << self.index

    @property
    def numbers(self) -> tuple[int, ...]:
        return _numbers(self.name)

    @property
    def behaviours(self) -> tuple[str, ...]:
        """Ids of the behaviours this release has, in the order of behaviours.toml."""
        from .behaviours import BEHAVIOURS

        return tuple(behaviour.id for behaviour in BEHAVIOURS.values() if behaviour.releases & self.mask)

    @property
    def state_change_level(self) -> str:
        """Level of state.change.logger in the log4j.properties that the release ships."""
        return next(level for mask, level in _levels() if mask & self.mask)


@lru_cache(maxsize=1)
def _levels() -> tuple[tuple[int, str], ...]:
    from .behaviours import selected

    rows = toml.read(_FILE)["state_change_level"]
    levels = tuple((selected(row, ALL), str(row["level"])) for row in rows)
    check_cover((mask for mask, _ in levels), ALL, "releases.toml, state_change_level")
    return levels


def _load() -> tuple[Release, ...]:
    rows = toml.read(_FILE)["release"]
    releases = []
    for index, row in enumerate(rows):
        toml.check_keys(row, f"releases.toml, row {index + 1}", ("name", "modes", "tags"))
        if not row["modes"] or set(row["modes"]) - set(MODES):
            raise TableError(f"releases.toml, {row['name']}: expected modes of {', '.join(MODES)}, got {row['modes']}")
        releases.append(Release(row["name"], index, tuple(row["modes"]), tuple(row["tags"])))
    numbers = [release.numbers for release in releases]
    if len(releases) > 62 or numbers != sorted(set(numbers)):
        raise TableError("releases.toml: expected at most 62 rows, oldest first, each name once")
    return tuple(releases)


RELEASES: tuple[Release, ...] = _load()
ALL: int = (1 << len(RELEASES)) - 1


def in_mode(mode: str) -> int:
    """The mask of the releases that can run in a mode; UnknownNameError for what is none."""
    if mode not in MODES:
        raise unknown("mode", mode, MODES)
    return sum(row.mask for row in RELEASES if mode in row.modes)


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
    return latest(_named(name))


@lru_cache(maxsize=1024)
def span(text: str) -> int:
    """The bitmask of a set of releases written as "all", "2.3", "1.1-2.2", ">=2.6", "<=1.0", or several with commas.

    Both ends are included. A name stands for all rows that begin with it, so "<=2.7" includes 2.7.2.
    """
    mask = 0
    for item in text.split(","):
        item = item.strip()
        if item == "all":
            part = ALL
        elif item.startswith(">="):
            part = ALL & ~(_lowest(_named(item[2:].strip())) - 1)
        elif item.startswith("<="):
            part = _up_to(_named(item[2:].strip()))
        elif "-" in item:
            first, _, last = item.partition("-")
            part = _up_to(_named(last.strip())) & ~(_lowest(_named(first.strip())) - 1)
            if not part:
                raise IsrproofError(f"Expected releases from old to new, got {item!r}.")
        else:
            part = _named(item)
        mask |= part
    return mask


def names(mask: int) -> str:
    """A mask as people read it, "1.1-2.2, 2.4"; `span` reads it back. No release at all is "none"."""
    if not mask & ALL:
        return "none"
    if mask & ALL == ALL:
        return "all"
    runs = []
    index = 0
    while index < len(RELEASES):
        if not mask >> index & 1:
            index += 1
            continue
        first = index
        while index + 1 < len(RELEASES) and mask >> index + 1 & 1:
            index += 1
        runs.append(_run(first, index))
        index += 1
    return ", ".join(runs)


def _run(first: int, last: int) -> str:
    """One range; its ends are named by their line where the line begins, or ends, with them."""
    low, high = RELEASES[first], RELEASES[last]
    begins = first == 0 or _line(RELEASES[first - 1].numbers) != _line(low.numbers)
    ends = last == len(RELEASES) - 1 or _line(RELEASES[last + 1].numbers) != _line(high.numbers)
    start = _dotted(_line(low.numbers)) if begins else low.name
    stop = _dotted(_line(high.numbers)) if ends else high.name
    if begins and ends and start == stop:
        return start
    if first == last:
        return low.name
    if first == 0:
        return f"<={stop}"
    return f">={start}" if last == len(RELEASES) - 1 else f"{start}-{stop}"


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


def check_cover(masks: Iterable[int], whole: int, what: str) -> None:
    """Rows that each hold in some releases must share none, and together fill `whole`; else TableError."""
    filled = 0
    for mask in masks:
        if filled & mask:
            raise TableError(f"{what}: two rows for {names(filled & mask)}")
        filled |= mask
    if filled & ~whole:
        raise TableError(f"{what}: a row for {names(filled & ~whole)}, outside {names(whole)}")
    if whole & ~filled:
        raise TableError(f"{what}: no row for {names(whole & ~filled)}")


def _lowest(mask: int) -> int:
    return mask & -mask


def _up_to(mask: int) -> int:
    return int((1 << mask.bit_length()) - 1)


@lru_cache(maxsize=256)
def _named(name: str) -> int:
    """All rows that a name stands for: those it is the beginning of, else the row that its patch number falls in."""
    if _NUMBER.fullmatch(name):
        wanted = _numbers(name)
        rows = [row for row in RELEASES if row.numbers[: len(wanted)] == wanted]
        if not rows:
            same_line = [row for row in RELEASES if _line(row.numbers) == _line(wanted)]
            rows = [row for row in same_line if row.numbers <= wanted][-1:]
        if rows:
            return sum(row.mask for row in rows)
    raise unknown("Kafka release", name, [row.name for row in RELEASES])
