"""What the files of a cluster state: who says, and who repeats, which controller has which epoch.

Few rows, which engines reduce all lines to; where they come from in a file, and what their lines tell of the release
and of the level that was logged.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from dataclasses import dataclass

from ....specs.releases import ALL


@dataclass(frozen=True)
class Evidence:
    """A line whose wording only `releases` (a mask) print."""

    file: int
    line: int
    row: str
    releases: int


def narrowing(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence that matters: each narrows the set of releases further than those before it, most telling first."""
    left = ALL
    kept = []
    for each in sorted(evidence, key=lambda e: (e.releases.bit_count(), e.file, e.line)):
        if left & each.releases != left:
            left &= each.releases
            kept.append(each)
    return tuple(kept)


def possible(evidence: Iterable[Evidence]) -> int:
    """The releases that all of the evidence allows."""
    return functools.reduce(operator.and_, (each.releases for each in evidence), ALL)


@dataclass(frozen=True)
class Run:
    """Lines first..last of one file in which `controller` says that it has `epoch`; no other epoch of it between.

    `level` is the lowest of its lines of the state machines; `created` and `moves` count those that create a partition,
    the last of which is `last_created`, and those that rules on moves and states look at. `disordered`: their times go
    back. `inserted`: they were written before those around them.
    """

    file: int
    first: int
    last: int
    controller: int
    epoch: int
    first_ts: int | None
    last_ts: int | None
    level: int
    created: int
    last_created: int = 0
    moves: int = 0
    disordered: bool = False
    inserted: bool = False
    evidence: tuple[Evidence, ...] = ()
    wiped: bool = False

    @property
    def releases(self) -> int:
        return possible(self.evidence)


@dataclass(frozen=True)
class Heard:
    """Lines first..last of one file in which a broker names `controller` and its `epoch`."""

    file: int
    first: int
    last: int
    controller: int
    epoch: int
