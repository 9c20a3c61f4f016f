"""Faults of releases that no rule calls illegal, because those releases work that way: how often a log shows each."""

from __future__ import annotations

from dataclasses import dataclass, field

from .....specs.metadata.levels import NO_EPOCH_ON_SHRINK
from ...observe.narrow import EVERYTHING, Narrow
from .rows import At, Context
from .state import Broker, Partition

EPOCH_ON_SHRINK, EPOCH_FOR_NOTHING = "KAFKA-15021", "KAFKA-16624"
UNCOUNTED, EPOCH_OF_REGISTRATION = "KAFKA-15213", "KAFKA-16952"
IN_WORDS = {
    EPOCH_ON_SHRINK: "the leader epoch rises when an ISR shrinks, though the leader stays",
    EPOCH_FOR_NOTHING: "the leader epoch rises, and nothing else changes, when the last member is to leave the ISR of"
    " a leaderless partition",
    UNCOUNTED: "a broker's epoch is below the offset of its registration: a new controller did not count its own"
    " first record",
    EPOCH_OF_REGISTRATION: "a broker that registers again in one process gets a new epoch",
}


@dataclass
class Known:
    """The counts of such faults by issue.

    Args:
        narrow: the request; everything else is not counted.
    """

    narrow: Narrow = EVERYTHING
    counts: dict[str, int] = field(default_factory=dict)
    """The number of committed records that show each."""
    first: dict[str, int] = field(default_factory=dict)
    """The offset of the first such record."""

    def leader_named_again(self, before: Partition, after: Partition, topic: str, at: At, context: Context) -> None:
        """Record that a record named the current leader again, which raises the leader epoch; `topic` is the topic's
        name.
        """
        if context.level >= NO_EPOCH_ON_SHRINK or context.migrating:
            return
        if not {*before.replicas} <= {*after.replicas}:
            return
        of = topic, after.number
        if not {*before.isr} <= {*after.isr}:
            self._seen(EPOCH_ON_SHRINK, at, of)
        elif after.leader < 0:
            self._seen(EPOCH_FOR_NOTHING, at, of)

    def registered(self, before: Broker | None, after: Broker, at: At, *, cleaned: bool) -> None:
        """Record that a broker has registered; `cleaned`: its epoch is that of the changes before the record."""
        if before is not None and before.incarnation == after.incarnation:
            if after.epoch > before.epoch:
                self._seen(EPOCH_OF_REGISTRATION, at)
        elif after.epoch < at.offset and not cleaned:
            self._seen(UNCOUNTED, at)

    def _seen(self, issue: str, at: At, partition: tuple[str, int] | None = None) -> None:
        if at.committed and self.narrow.has(at.ts, partition):
            self.counts[issue] = self.counts.get(issue, 0) + 1
            self.first.setdefault(issue, at.offset)
