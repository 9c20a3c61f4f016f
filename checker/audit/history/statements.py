"""Statements of a cluster's files about controller epochs: the input from which histories are built.

There are two kinds of statement "controller c has epoch e". A controller claims its own epoch; the lines of one claim
are a *run*. A broker reports the epoch of a controller that sent it a request. An engine reduces all lines to these few
rows. A run also carries its lines' evidence about the release and about the logged level.
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ....specs.releases import ALL


@dataclass(frozen=True)
class WordingLine:
    """A line whose wording only `releases` (a mask) print."""

    file: int
    line: int
    row: str
    releases: int


def narrowing(evidence: Iterable[WordingLine]) -> tuple[WordingLine, ...]:
    """Return the evidence that matters: each narrows the set of releases further than those before it, the strongest
    first.
    """
    left = ALL
    kept = []
    for each in sorted(evidence, key=lambda e: (e.releases.bit_count(), e.file, e.line)):
        if left & each.releases != left:
            left &= each.releases
            kept.append(each)
    return tuple(kept)


def possible(evidence: Iterable[WordingLine]) -> int:
    """Return the releases that all of the evidence allows."""
    return functools.reduce(operator.and_, (each.releases for each in evidence), ALL)


class RunKey(NamedTuple):
    """The identity of a run: no controller has two that begin at one line."""

    file: int
    controller: int
    first: int


class TenureKey(NamedTuple):
    """The identity of a tenure of a life. Keys sort by epoch."""

    epoch: int
    controller: int


@dataclass(frozen=True)
class Run:
    """Lines first..last of one file in which `controller` claims `epoch`, and no other epoch between."""

    file: int
    first: int
    last: int
    controller: int
    epoch: int
    first_ts: int | None
    """The lowest time of its lines."""
    last_ts: int | None
    """The highest time of its lines."""
    level: int
    """The lowest level of its lines about the state machines."""
    created: int
    """The number of lines that create a partition."""
    last_created: int = 0
    """The last of these."""
    created_until: int | None = None
    """The highest time of these."""
    moves: int = 0
    """The number of lines that rules on moves and states look at."""
    acts: int = 0
    """The number of all lines about what it does with partitions."""
    disordered: bool = False
    """True if the times go back."""
    inserted: bool = False
    """True if the lines were written before those around them."""
    evidence: tuple[WordingLine, ...] = ()
    wiped: bool = False
    """True if the cluster was wiped before the first line, though no epoch shows it."""

    @property
    def key(self) -> RunKey:
        return RunKey(self.file, self.controller, self.first)

    @property
    def tenure(self) -> TenureKey:
        return TenureKey(self.epoch, self.controller)


@dataclass(frozen=True)
class BrokerReport:
    """Lines first..last of one file in which a broker reports that `controller` has `epoch`."""

    file: int
    first: int
    last: int
    controller: int
    epoch: int
    first_ts: int | None = None
    """The lowest time of these lines."""
    last_ts: int | None = None
    """The highest time of these lines."""


Statement = Run | BrokerReport


def by_file(runs: Iterable[Run], reports: Iterable[BrokerReport]) -> dict[int, list[Statement]]:
    """Return the statements of each file, runs first; empty for a file without any."""
    found: dict[int, list[Statement]] = defaultdict(list)
    for run in runs:
        found[run.file].append(run)
    for report in reports:
        found[report.file].append(report)
    return found


def by_tenure(runs: Iterable[Run]) -> dict[TenureKey, list[Run]]:
    """Return the runs of each tenure; both in the order in which the runs are given."""
    found: dict[TenureKey, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.tenure].append(run)
    return found
