"""The tenures of each life: each controller's time as controller under one epoch.

A tenure is all runs of a life with the same controller and epoch, in whichever streams; within a life an epoch has one
controller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....specs.releases import ALL
from ..files.file import LogFile
from .copies import StreamOrder, stream_order
from .local_histories import LocalHistory
from .statements import TenureKey, WordingLine, by_tenure, narrowing, possible


@dataclass(frozen=True)
class Tenure:
    """One controller's time as controller under one epoch of a life."""

    number: int
    """Counts tenures over all lives, from 1."""
    order: StreamOrder
    """The streams of it to read."""
    evidence: tuple[WordingLine, ...]

    @property
    def releases(self) -> int:
        """The releases that all of the evidence allows, as a mask; 0 if it contradicts itself."""
        return possible(self.evidence)


@dataclass(frozen=True)
class JoinedLife:
    """One life: the local histories that it was joined from, and its tenures. `number` counts all lives, from 1."""

    number: int
    members: Sequence[LocalHistory]
    tenures: Mapping[TenureKey, Tenure]

    @property
    def cluster(self) -> int:
        return self.members[0].cluster

    def at_least(self) -> int:
        """Return the releases that are not older than the one that some tenure must have, as a mask."""
        oldest = (tenure.releases & -tenure.releases for tenure in self.tenures.values())
        return ALL & -max(oldest, default=0) or ALL


def with_tenures(groups: Sequence[Sequence[LocalHistory]], files: Mapping[int, LogFile]) -> list[JoinedLife]:
    """Return the lives whose members these groups are; `files` are by their index."""
    found: list[JoinedLife] = []
    first_tenure = 1
    for number, members in enumerate(groups, start=1):
        life = JoinedLife(number, members, _tenures(members, files, first_tenure))
        first_tenure += len(life.tenures)
        found.append(life)
    return found


def _tenures(
    members: Sequence[LocalHistory], files: Mapping[int, LogFile], first_number: int
) -> dict[TenureKey, Tenure]:
    """Return the tenures of one life, in the order of its members' runs; they are numbered in the order of their
    epochs.
    """
    runs = by_tenure(run for history in members for run in history.runs)
    numbers = {key: number for number, key in enumerate(sorted(runs), start=first_number)}
    return {
        key: Tenure(
            number=numbers[key],
            order=stream_order(own, files),
            evidence=narrowing(each for run in own for each in run.evidence),
        )
        for key, own in runs.items()
    }
