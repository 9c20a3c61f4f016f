"""Partitions that a metadata log shows without a leader, or with an ISR that lacks a replica, with begin and end.

Not a verdict: it may all be legal. The conditions are those that lines of ZooKeeper mode show
(observe/controller/conditions.py), but here the log has every change. If there are many, only the longest are kept; all
are counted.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...observe.controller.conditions import OFFLINE, UNDER_REPLICATED
from ...observe.narrow import EVERYTHING, Narrow
from .course import Needed, needed
from .rows import At
from .state import NO_LEADER, Cluster, Partition

KEPT = 1_000
"""The most completed spells of a condition that are kept."""
_BY = {OFFLINE: "elected", UNDER_REPLICATED: "complete"}
"""The event that ends a spell, if the partition is not deleted."""


class Spell(NamedTuple):
    """A partition in a condition.

    `leader`, `isr`, `replicas`, `elr` and `last_known` are its last values in that condition. `file` and `offset` are
    of the first record that shows it, `since` its time: None from a snapshot, before which it began. `until` and `by`
    are of the record that ends it, None: none does. `sure`: it lasts; otherwise missing records may end it.
    """

    condition: str
    topic: str
    partition: int
    leader: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    file: int
    offset: int
    since: int | None
    elr: tuple[int, ...]
    last_known: tuple[int, ...]
    until: int | None = None
    by: str | None = None
    sure: bool = True

    @property
    def length(self) -> int:
        """The length in milliseconds, as far as it is known."""
        return max(self.until - self.since, 0) if self.until is not None and self.since is not None else 0


Key = tuple[str, int]
"""A topic id and a partition's number."""
Begun = tuple[int, int, int | None]
"""File, offset and time of the first record of a spell, as in `Spell`."""


@dataclass
class Counted:
    """The counts of one condition."""

    lasting: dict[Key, Begun] = field(default_factory=dict)
    """The spells in progress."""
    over: int = 0
    """The number of completed spells."""
    partitions: dict[Key, Key] = field(default_factory=dict)
    """Their partitions by topic id, with their names."""
    longest: list[tuple[int, int, Spell]] = field(default_factory=list)
    """The longest spells with their lengths."""


@dataclass
class Conditions:
    """The conditions of all partitions along a log.

    Args:
        narrow: the request; other partitions and times are neither counted nor kept.
    """

    narrow: Narrow = EVERYTHING
    counted: Mapping[str, Counted] = field(default_factory=lambda: {OFFLINE: Counted(), UNDER_REPLICATED: Counted()})
    _state: Cluster = field(default_factory=Cluster)
    _lost: dict[Key, Partition] = field(default_factory=dict)
    _lost_names: dict[str, str] = field(default_factory=dict)
    """Partitions of which later records are missing, and the names of their topics."""

    def __post_init__(self) -> None:
        self._offline, self._under_replicated = (self.counted[of].lasting for of in (OFFLINE, UNDER_REPLICATED))

    def begins(self, state: Cluster, file: int) -> None:
        """Begin the log, or continue it after missing records, with `state`: empty, a snapshot's content, or an unknown
        state.
        """
        now = {partition[:2]: partition for partition in state.all()}
        for condition, own in self.counted.items():
            for key in [*own.lasting]:
                there, was = now.get(key), self._last(key)
                if there is None and not state.whole:
                    self._lost[key] = was
                elif there is None or not _IS[condition](there):
                    self._over(condition, was, key, None, "deleted" if there is None else _BY[condition])
            for key, there in now.items():
                if key not in own.lasting and _IS[condition](there):
                    own.lasting[key] = file, 0, None
        self._lost_names |= {topic: name for topic, name in self._state.names.items() if topic not in state.names}
        self._state = state

    def changed(self, before: Partition | None, after: Partition, at: At) -> None:
        """Record a change of a partition: half of all records, so it takes few calls."""
        key = after[:2]
        _, _, leader, isr, replicas = after[:5]
        if leader == NO_LEADER:
            if key not in self._offline:
                self._offline[key] = at[1:4]
        elif key in self._offline and before is not None:
            self._over(OFFLINE, before, key, at[3], "elected")
        if len(isr) < len(replicas) or (isr != replicas and not {*replicas} <= {*isr}):
            if key not in self._under_replicated:
                self._under_replicated[key] = at[1:4]
        elif key in self._under_replicated and before is not None:
            self._over(UNDER_REPLICATED, before, key, at[3], "complete")

    def gone(self, topic: str, ts: int) -> None:
        """Record that a topic is about to be deleted."""
        for condition, own in self.counted.items():
            for key in [key for key in own.lasting if key[0] == topic]:
                self._over(condition, self._last(key), key, ts, "deleted")

    def lasting(self, condition: str) -> list[Spell]:
        """Return the spells that no record ends."""
        lasting = self.counted[condition].lasting.items()
        found = [
            self._spell(condition, self._last(key), begun)._replace(sure=key not in self._lost)
            for key, begun in lasting
        ]
        return [spell for spell in found if self._asked(spell)]

    def needed(self) -> dict[tuple[str, int, int], Needed]:
        """Return who must come back in the spells without a leader, by topic, number and offset of the first record."""
        lasting = self.counted[OFFLINE].lasting.items()
        now = {(self._name(key), key[1], begun[1]): needed(self._last(key), self._state) for key, begun in lasting}
        over = {
            (each.topic, each.partition, each.offset): Needed(each.elr, each.last_known, (*each.isr, *each.elr))
            for each in self.over(OFFLINE)
        }
        return over | now

    def over(self, condition: str) -> list[Spell]:
        """Return the longest completed spells."""
        return [spell for _, _, spell in self.counted[condition].longest]

    def _over(self, condition: str, last: Partition, key: Key, until: int | None, by: str) -> None:
        """End the spell of a partition in its last state."""
        own = self.counted[condition]
        begun = own.lasting.pop(key)
        if self.narrow is not EVERYTHING and not self._asked(self._spell(condition, last, begun, until, by)):
            return
        own.over += 1
        since, partitions, longest = begun[2], own.partitions, own.longest
        length = until - since if until is not None and since is not None else 0
        if key not in partitions:
            partitions[key] = self._name(key), key[1]
        if len(longest) < KEPT:
            heapq.heappush(longest, (length, -own.over, self._spell(condition, last, begun, until, by)))
        elif length > longest[0][0]:
            heapq.heapreplace(longest, (length, -own.over, self._spell(condition, last, begun, until, by)))

    def _name(self, key: Key) -> str:
        """Return the topic's name; for a lost partition, the name that it had then."""
        return self._lost_names.get(key[0]) or self._state.names.get(key[0], key[0])

    def _spell(
        self, condition: str, last: Partition, begun: Begun, until: int | None = None, by: str | None = None
    ) -> Spell:
        key, (_, number, leader, isr, replicas) = last[:2], last[:5]
        eligible = last.elr, last.last_known
        return Spell(condition, self._name(key), number, leader, isr, replicas, *begun, *eligible, until, by)

    def _asked(self, spell: Spell) -> bool:
        return self.narrow.overlaps(spell.topic, spell.partition, spell.since, spell.until)

    def _last(self, key: Key) -> Partition:
        """Return the last state of a partition."""
        return self._lost.get(key) or self._state.partitions[key[0]][key[1]]


def _lacks(partition: Partition) -> bool:
    """Return whether the ISR lacks a replica."""
    return not {*partition.replicas} <= {*partition.isr}


_IS: Mapping[str, Callable[[Partition], bool]] = {
    OFFLINE: lambda partition: partition.leader == NO_LEADER,
    UNDER_REPLICATED: _lacks,
}
