"""What the files of a cluster state about controller epochs: the input from which histories are built.

There are two kinds of statement "controller c has epoch e". A controller claims its own epoch; the lines of one claim
are a *run*. A broker reports the epoch of a controller that sent it a request. An engine reduces all lines to these few
rows. A run also carries what its lines show of the release and of the level that was logged.
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
class Evidence:
    """A line whose wording only `releases` (a mask) print."""

    file: int
    line: int
    row: str
    releases: int


def narrowing(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence that matters: each narrows the set of releases further than those before it, the strongest first."""
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


class RunKey(NamedTuple):
    """Which run: no controller has two that begin at one line."""

    file: int
    controller: int
    first: int


class TenureKey(NamedTuple):
    """Which tenure of a life. Keys sort by epoch."""

    epoch: int
    controller: int


@dataclass(frozen=True)
class Run:
    """Lines first..last of one file in which `controller` claims `epoch`, and no other epoch between.

    `first_ts` and `last_ts` are the lowest and the highest time of its lines. `level` is the lowest of its lines of the
    state machines. `created` counts the lines that create a partition; `last_created` is the last of them, and
    `created_until` the highest time of theirs. `moves` counts the lines that rules on moves and states look at, `acts`
    all that tell what it does with partitions. `disordered`: the times go back. `inserted`: the lines were written
    before those around them. `wiped`: the cluster was wiped before the first line, though no epoch shows it.
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
    created_until: int | None = None
    moves: int = 0
    acts: int = 0
    disordered: bool = False
    inserted: bool = False
    evidence: tuple[Evidence, ...] = ()
    wiped: bool = False

    @property
    def key(self) -> RunKey:
        return RunKey(self.file, self.controller, self.first)

    @property
    def tenure(self) -> TenureKey:
        return TenureKey(self.epoch, self.controller)


@dataclass(frozen=True)
class BrokerReport:
    """Lines first..last of one file in which a broker reports that `controller` has `epoch`; `first_ts` and
    `last_ts` are the lowest and the highest time of theirs."""

    file: int
    first: int
    last: int
    controller: int
    epoch: int
    first_ts: int | None = None
    last_ts: int | None = None


Statement = Run | BrokerReport


def by_file(runs: Iterable[Run], reports: Iterable[BrokerReport]) -> dict[int, list[Statement]]:
    """The statements of each file, runs first; empty for a file without any."""
    found: dict[int, list[Statement]] = defaultdict(list)
    for run in runs:
        found[run.file].append(run)
    for report in reports:
        found[report.file].append(report)
    return found


def by_tenure(runs: Iterable[Run]) -> dict[TenureKey, list[Run]]:
    """The runs of each tenure; both in the order in which the runs are given."""
    found: dict[TenureKey, list[Run]] = defaultdict(list)
    for run in runs:
        found[run.tenure].append(run)
    return found
