"""Local histories: one stream's view of one life of its cluster.

A *life* is one history of a cluster, from its creation to its wipe. A broker's log continues after a wipe, so a stream
can show several lives, one after the other; walk.py finds where one ends. Within one local history an epoch has one
controller.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .statements import Run, Statement


@dataclass
class LocalHistory:
    """One stream's view of one life."""

    cluster: int
    directory: str
    stream: str
    why: str
    """The reason why it begins."""
    controllers: dict[int, int] = field(default_factory=dict)
    """The controller of each epoch that is stated."""
    runs: list[Run] = field(default_factory=list)
    started: set[Run] = field(default_factory=set)
    """The runs with which a tenure begins."""
    last_blocks: dict[int, int] = field(default_factory=dict)
    """The block in which each epoch was last stated."""
    files: set[int] = field(default_factory=set)

    def contradicts(self, statement: Statement) -> bool:
        """Return whether another controller has the epoch here."""
        return self.controllers.get(statement.epoch, statement.controller) != statement.controller

    def agrees(self, other: LocalHistory) -> bool:
        """Return whether some epochs are in both, and have the same controllers."""
        shared = self.controllers.keys() & other.controllers.keys()
        return bool(shared) and all(self.controllers[epoch] == other.controllers[epoch] for epoch in shared)

    def overlaps(self, other: LocalHistory) -> bool:
        """Return whether their times overlap; used only for two logs of one broker, which have one clock."""
        mine, theirs = self._times(), other._times()
        return mine is None or theirs is None or (mine[0] <= theirs[1] and theirs[0] <= mine[1])

    def _times(self) -> tuple[int, int] | None:
        firsts = [run.first_ts for run in self.runs if run.first_ts is not None]
        lasts = [run.last_ts for run in self.runs if run.last_ts is not None]
        return (min(firsts), max(lasts)) if firsts and lasts else None
