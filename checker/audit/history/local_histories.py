"""A local history: what one stream shows of one life of its cluster.

A *life* is one history of a cluster, from its creation to its wipe. A broker's log goes on after a wipe, so a stream
can show several lives, one after the other; walk.py finds where one ends. Within one local history an epoch has one
controller.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .statements import Run, Statement


@dataclass
class LocalHistory:
    """What one stream shows of one life.

    `why` says why it begins. `controllers` holds the controller of each epoch that is stated. `started` are the runs
    with which a tenure begins. `last_blocks` holds the block in which each epoch was last stated.
    """

    cluster: int
    directory: str
    stream: str
    why: str
    controllers: dict[int, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    started: set[Run] = field(default_factory=set)
    last_blocks: dict[int, int] = field(default_factory=dict)
    files: set[int] = field(default_factory=set)

    def contradicts(self, statement: Statement) -> bool:
        """Whether another controller has the epoch here."""
        return self.controllers.get(statement.epoch, statement.controller) != statement.controller

    def agrees(self, other: LocalHistory) -> bool:
        """Whether some epochs are in both, and have the same controllers."""
        shared = self.controllers.keys() & other.controllers.keys()
        return bool(shared) and all(self.controllers[epoch] == other.controllers[epoch] for epoch in shared)

    def overlaps(self, other: LocalHistory) -> bool:
        """Whether their times overlap; asked of two logs of one broker only, whose clock is one."""
        mine, theirs = self._times(), other._times()
        return mine is None or theirs is None or (mine[0] <= theirs[1] and theirs[0] <= mine[1])

    def _times(self) -> tuple[int, int] | None:
        firsts = [run.first_ts for run in self.runs if run.first_ts is not None]
        lasts = [run.last_ts for run in self.runs if run.last_ts is not None]
        return (min(firsts), max(lasts)) if firsts and lasts else None
