"""Sets of releases as bitmasks over the rows of releases.toml.

A set of releases is a plain int everywhere, in Python and in Spark: bit i is set when the release of row i is in it.
`mask & span("<=2.2") == 0` says that none of `mask` is at or before 2.2. Fewer than 63 rows, so that a mask is
non-negative in a signed 64-bit column. What is known of a row besides its names is in releases.py, which has the
functions of this module too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from . import toml
from .errors import IsrproofError, TableError, UnknownNameError, unknown

FILE = toml.FOLDER / "releases.toml"
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,3}")


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("."))


def _line(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return a release's line, without the patch number: 2.3 of 2.3.1, and 0.10.2 of 0.10.2.1."""
    return numbers[:3] if numbers[0] == 0 else numbers[:2]


MODES: Mapping[str, str] = {"zk": "ZooKeeper", "kraft": "KRaft"}
"""Modes that a controller can run in, with their names for people."""
ANY_MODE = "any"
"""The mode where it does not matter."""

_TABLE = toml.read(FILE)["release"]
for _row in _TABLE:
    _where = f"releases.toml, row {_row.get('name', 'without name')}"
    toml.check_keys(_row, _where, ("name", "modes", "tags"))
    if not _row["modes"] or set(_row["modes"]) - set(MODES):
        raise TableError(f"{_where}: expected modes of {', '.join(MODES)}, got {_row['modes']}")

NAMES: tuple[str, ...] = tuple(row["name"] for row in _TABLE)
"""The names that people type for each row, oldest first."""
TAGS: tuple[tuple[str, ...], ...] = tuple(tuple(row["tags"]) for row in _TABLE)
"""The releases that each row stands for, oldest first."""
ALL: int = (1 << len(NAMES)) - 1

_ROWS = tuple(map(_numbers, NAMES))
if len(_ROWS) > 62 or list(_ROWS) != sorted(set(_ROWS)):
    raise TableError("releases.toml: expected at most 62 rows, oldest first, each name once")


def in_mode(mode: str) -> int:
    """The mask of the releases that can run in a mode.

    Raises:
        UnknownNameError: there is no such mode.
    """
    if mode not in MODES:
        raise unknown("mode", mode, MODES)
    return sum(1 << index for index, row in enumerate(_TABLE) if mode in row["modes"])


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
            part = ALL & ~(_lowest(named(item[2:].strip())) - 1)
        elif item.startswith("<="):
            part = _up_to(named(item[2:].strip()))
        elif "-" in item:
            first, _, last = item.partition("-")
            part = _up_to(named(last.strip())) & ~(_lowest(named(first.strip())) - 1)
            if not part:
                raise IsrproofError(f"Expected releases from old to new, got {item!r}.")
        else:
            part = named(item)
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
    while index < len(NAMES):
        if not mask >> index & 1:
            index += 1
            continue
        first = index
        while index + 1 < len(NAMES) and mask >> index + 1 & 1:
            index += 1
        runs.append(_run(first, index))
        index += 1
    return ", ".join(runs)


def _run(first: int, last: int) -> str:
    """One range; its ends are named by their line where the line begins, or ends, with them."""
    low, high, newest = _line(_ROWS[first]), _line(_ROWS[last]), len(_ROWS) - 1
    begins = first == 0 or _line(_ROWS[first - 1]) != low
    ends = last == newest or _line(_ROWS[last + 1]) != high
    start = _dotted(low) if begins else NAMES[first]
    stop = _dotted(high) if ends else NAMES[last]
    if begins and ends and start == stop:
        return start
    if first == last:
        return NAMES[first]
    if first == 0:
        return f"<={stop}"
    return f">={start}" if last == newest else f"{start}-{stop}"


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
def named(name: str) -> int:
    """All rows that a name stands for: those it is the beginning of, else the row that its patch number falls in."""
    if _NUMBER.fullmatch(name):
        wanted = _numbers(name)
        rows = [index for index, row in enumerate(_ROWS) if row[: len(wanted)] == wanted]
        if not rows:
            same_line = [index for index, row in enumerate(_ROWS) if _line(row) == _line(wanted)]
            rows = [index for index in same_line if _ROWS[index] <= wanted][-1:]
        if rows:
            return sum(1 << index for index in rows)
        if wanted > _ROWS[-1]:
            raise UnknownNameError(
                f"Kafka {name} is newer than this version of isrproof knows: expected a release up to {NAMES[-1]}."
                f" Give {NAMES[-1]}, or install a newer version."
            )
    raise unknown("Kafka release", name, NAMES)
