"""Doubts about a log: histories are fitted to them, so that nothing depends on lines that may be missing.

`doubt/` looks for their signs; this module defines what a sign can take away.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

Stretch = tuple[int, int, int]
"""Lines first..last of a file, as (file, first, last)."""
TenureOfCluster = tuple[int, int, int]
"""Cluster, controller, epoch."""
TenureInFile = tuple[int, int, int]
"""File, controller, epoch."""


@dataclass(frozen=True)
class Effect:
    """A kind of doubt."""

    name: str
    scope: str
    """The subject of one doubt: a cluster, a file, a tenure, or a stretch of lines."""
    means: str
    """The thing that is no longer taken for granted."""


DISORDERED = Effect("disordered", "tenure in a file", "its lines may stand in another order than they were written in")
GAPPED = Effect("gapped", "cluster", "any of its lines may be missing")
MIXED = Effect("mixed", "cluster", "any of its lines may be missing, and some may be of another cluster or broker")
START_MISSING = Effect("start missing", "tenure", "lines of its start are missing")
LESS_LOGGED = Effect("less logged", "stretch of lines", "any line may be missing there")
REPEATED = Effect("repeated", "file", "a line that stands there twice may have been written once")
OUT_OF_TURN = Effect("out of turn", "file", "its requests may stand in another order than they were handled in")
EFFECTS = (DISORDERED, GAPPED, MIXED, START_MISSING, LESS_LOGGED, REPEATED, OUT_OF_TURN)


class Doubt(NamedTuple):
    """A doubt, and the sign that raises it."""

    effect: Effect
    of: Hashable
    """The cluster, file, tenure or stretch."""
    sign: str


@dataclass(frozen=True)
class Doubts:
    """All doubts about the logs of an audit."""

    raised: frozenset[Doubt] = frozenset()

    def __or__(self, other: Doubts) -> Doubts:
        return Doubts(self.raised | other.raised)

    def adds_to(self, other: Doubts) -> bool:
        """Return whether anything is in doubt that is not in doubt for `other`, whatever the signs."""
        return not self._effects <= other._effects

    @cached_property
    def _effects(self) -> frozenset[tuple[Effect, Hashable]]:
        return frozenset((each.effect, each.of) for each in self.raised)

    def _of(self, *effects: Effect) -> frozenset[Any]:
        return frozenset(each.of for each in self.raised if each.effect in effects)

    @cached_property
    def disordered(self) -> frozenset[TenureInFile]:
        return self._of(DISORDERED)

    @cached_property
    def gapped(self) -> frozenset[int]:
        """Clusters."""
        return self._of(GAPPED, MIXED)

    @cached_property
    def mixed(self) -> frozenset[int]:
        """Clusters."""
        return self._of(MIXED)

    @cached_property
    def start_missing(self) -> frozenset[TenureOfCluster]:
        return self._of(START_MISSING)

    @cached_property
    def less_logged(self) -> frozenset[Stretch]:
        return self._of(LESS_LOGGED)

    @cached_property
    def repeated(self) -> frozenset[int]:
        """Files."""
        return self._of(REPEATED)

    @cached_property
    def out_of_turn(self) -> frozenset[int]:
        """Files."""
        return self._of(OUT_OF_TURN)


NO_DOUBT = Doubts()


def raised(effect: Effect, of: Iterable[Hashable], sign: str) -> Doubts:
    """Return doubts of one effect that one sign raises."""
    return Doubts(frozenset(Doubt(effect, each, sign) for each in of))
