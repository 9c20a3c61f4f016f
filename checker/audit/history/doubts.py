"""What only a look at partitions shows of how files were collected: lines out of order, lines that are missing."""

from __future__ import annotations

from dataclasses import dataclass

TenureOfCluster = tuple[int, int, int]
"""Cluster, controller, epoch."""


@dataclass(frozen=True)
class Doubts:
    """`late` are tenures in a file, as (file, controller, epoch), of which a line stands below one that was written
    later. `gapped` are clusters of whose lines some are missing here and there; `beheaded` tenures of whose first lines
    some are."""

    late: frozenset[tuple[int, int, int]] = frozenset()
    gapped: frozenset[int] = frozenset()
    beheaded: frozenset[TenureOfCluster] = frozenset()

    def __or__(self, other: Doubts) -> Doubts:
        return Doubts(self.late | other.late, self.gapped | other.gapped, self.beheaded | other.beheaded)


NO_DOUBT = Doubts()
