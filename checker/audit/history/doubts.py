"""What only a look at partitions shows of how files were collected: lines out of order, lines that are missing."""

from __future__ import annotations

from dataclasses import dataclass

Stretch = tuple[int, int, int]
"""Lines first..last of a file, as (file, first, last)."""
TenureOfCluster = tuple[int, int, int]
"""Cluster, controller, epoch."""


@dataclass(frozen=True)
class Doubts:
    """`late` are tenures in a file, as (file, controller, epoch), of which a line stands below one that was written
    later. `gapped` are clusters of whose lines some are missing here and there; `mixed` those of them that have lines
    of others, too; `beheaded` tenures of whose first lines some are missing; `quiet` stretches of lines in which less
    was logged than elsewhere in the file; `repeated` files in which lines stand twice,
    `out_of_turn` those in which requests do not come in the order of their numbers."""

    late: frozenset[tuple[int, int, int]] = frozenset()
    gapped: frozenset[int] = frozenset()
    mixed: frozenset[int] = frozenset()
    beheaded: frozenset[TenureOfCluster] = frozenset()
    quiet: frozenset[Stretch] = frozenset()
    repeated: frozenset[int] = frozenset()
    out_of_turn: frozenset[int] = frozenset()

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
