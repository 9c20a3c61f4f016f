"""Doubts about how files were collected, which only a look at partitions shows: lines out of order, missing lines."""

from __future__ import annotations

from dataclasses import dataclass

Stretch = tuple[int, int, int]
"""Lines first..last of a file, as (file, first, last)."""
TenureOfCluster = tuple[int, int, int]
"""Cluster, controller, epoch."""


@dataclass(frozen=True)
class Doubts:
    """Doubts about the lines of some files, clusters and tenures."""

    late: frozenset[tuple[int, int, int]] = frozenset()
    """Tenures in a file, as (file, controller, epoch), with a line below one that was written later."""
    gapped: frozenset[int] = frozenset()
    """Clusters that lack some of their lines here and there."""
    mixed: frozenset[int] = frozenset()
    """The clusters of `gapped` that also have lines of others."""
    beheaded: frozenset[TenureOfCluster] = frozenset()
    """Tenures that lack some of their first lines."""
    quiet: frozenset[Stretch] = frozenset()
    """Stretches of lines in which less was logged than elsewhere in the file."""
    repeated: frozenset[int] = frozenset()
    """Files with repeated lines."""
    out_of_turn: frozenset[int] = frozenset()
    """Files whose requests are not in the order of their numbers."""

    def __or__(self, other: Doubts) -> Doubts:
        return Doubts(
            self.late | other.late,
            self.gapped | other.gapped,
            self.mixed | other.mixed,
            self.beheaded | other.beheaded,
            self.quiet | other.quiet,
            self.repeated | other.repeated,
            self.out_of_turn | other.out_of_turn,
        )


NO_DOUBT = Doubts()
