"""Evidence of a log about partitions: their replicas, when they were created and deleted, their ISRs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...specs.lines import rows_with
from ...traces.events.event import Event
from .lines import Key, key_of, marked_in, sets_of
from .names import NO_LEADER

CREATED = "partition-created"
ANNOUNCED = frozenset({"isr-shrinks", "isr-expands"})
ISR_CHANGES = frozenset({*rows_with("isr-written")}) | ANNOUNCED
"""The rows in which brokers print ISR changes; up to 2.0 only that they begin."""
_DELETED = frozenset({"topic-deletion-queued", "topics-to-be-deleted"})
REASSIGNED, LEADER_CHECKED = "reassignment-handled", "reassignment-leader-checked"
_ASKED_FOR = frozenset({REASSIGNED, LEADER_CHECKED})
_DELETES = frozenset({"ReplicaDeletionStarted", "NonExistentReplica", "NonExistentPartition"})


class Together(NamedTuple):
    """Partitions that a controller notes at one time; `is_cut`: its lines end there, so there may be more."""

    partitions: frozenset[Key]
    is_cut: bool

    def may_be(self, found: frozenset[Key]) -> bool:
        """Check whether the controller may have found these."""
        return found >= self.partitions if self.is_cut else found == self.partitions


@dataclass(frozen=True)
class Partitions:
    """The evidence of all lines, and of the compared state machine lines: of one controller after the other."""

    events: Sequence[Event]
    compared: Sequence[Event]

    @cached_property
    def named(self) -> frozenset[Key]:
        """The partitions named by the state machines, and those of replicas that controllers mark as offline."""
        keys = map(key_of, self.compared)
        marked = frozenset(key for each in self.events for key in marked_in(each))
        return marked | frozenset(each for each in keys if each is not None)

    @cached_property
    def _listed(self) -> Mapping[Key, Sequence[Event]]:
        """The lines that list all replicas of a partition."""
        found: dict[Key, list[Event]] = {}
        for event in self.events:
            key = key_of(event)
            if key is not None and event.replicas:
                found.setdefault(key, []).append(event)
        return found

    @cached_property
    def are_listed(self) -> bool:
        """Check whether lines list the replicas of each partition."""
        return self.named <= self._listed.keys() and not self._only_asked_for

    @cached_property
    def assignments(self) -> Mapping[Key, frozenset[tuple[int, ...]]]:
        """Partition -> the replicas that it was created with, in order: of each life; empty where no line lists them.

        For a life that no line begins they are the first ones listed, in any order that is listed.
        """
        return {key: frozenset(self._created_with(key)) for key in self.named}

    def _created_with(self, key: Key) -> set[tuple[int, ...]]:
        before = self._listed_before(key)
        first = min(before, key=_time, default=None)
        made = {each.replicas for each in self._listed.get(key, ()) if each.row == CREATED and each.replicas}
        if first is None or key in self._only_asked_for:
            return made
        if first.row in _ASKED_FOR:
            return made | set(itertools.permutations(_had(first)))
        told = (each.replicas for each in before if each.replicas)
        return made | {each for each in told if frozenset(each) == frozenset(first.replicas or ())}

    @cached_property
    def _only_asked_for(self) -> Mapping[Key, Event]:
        """Partitions whose first line lists the replicas asked for, not the existing ones -> the line."""
        first = {key: min(self._listed_before(key), key=_time, default=None) for key in self.named}
        return {key: event for key, event in first.items() if event and event.row in _ASKED_FOR and not _had(event)}

    def _listed_before(self, key: Key) -> list[Event]:
        """Return the lines that list all replicas of a partition before its creation is first printed."""
        listed = self._listed.get(key, ())
        begins = min((each.ts or 0 for each in listed if each.row == CREATED), default=None)
        return [each for each in listed if begins is None or (each.ts or 0) < begins]

    @cached_property
    def unlisted(self) -> Mapping[Key, frozenset[int]]:
        """Partitions whose replicas in their first life no line lists -> the brokers that controllers name in it."""
        asked = self._only_asked_for
        found: dict[Key, set[int]] = {key: set() for key in asked}
        over = {key for key in self.named if key not in asked and self._listed_before(key)}
        for event in self.compared:
            key = key_of(event)
            if key is None or key in over:
                continue
            if event.row == CREATED or (key in asked and _time(event) >= _time(asked[key])):
                over.add(key)
            else:
                found.setdefault(key, set()).update(_named_in(event))
        return {key: frozenset(members) for key, members in found.items() if key in asked or self.assignments[key]}

    @cached_property
    def not_listed(self) -> frozenset[Key]:
        """The partitions whose first replicas no line lists: there may be more than are named."""
        return frozenset(each for each in self.named if each in self.unlisted or not self.assignments[each])

    @cached_property
    def reassigned(self) -> Event | None:
        """The first line, by its time, that shows a reassignment, or replicas that were not its partition's."""
        strange = (
            event
            for key, created in self.assignments.items()
            for event in self._listed.get(key, ())
            if event.row in _ASKED_FOR or frozenset(event.replicas or ()) not in set(map(frozenset, created))
        )
        return min(strange, key=lambda each: each.ts or 0, default=None)

    @cached_property
    def targets(self) -> Mapping[Key, frozenset[tuple[int, ...]]]:
        """Partition -> the replicas that were asked for, in order, as controllers print; else all that lines list."""
        listed = [(key, event) for key, events in self._listed.items() for event in events]
        asked = [each for each in listed if each[1].row in _ASKED_FOR] or listed
        left = ((key, event.replicas or (), event.removing or ()) for key, event in asked)
        return sets_of((key, tuple(each for each in brokers if each not in gone)) for key, brokers, gone in left)

    def members(self, partition: Key) -> frozenset[int]:
        """The brokers that lines name as replicas of a partition, one at a time."""
        found: set[int] = set()
        for event in self.events:
            if key_of(event) == partition:
                found |= _named_in(event)
            elif partition in marked_in(event):
                found |= set() if event.broker is None else {event.broker}
        return frozenset(found)

    def deletions(self) -> Iterator[tuple[str, Event]]:
        """The topics that controller.log says are to be deleted, each with the line."""
        for event in self.events:
            if event.row in _DELETED:
                yield from ((topic, event) for topic in (event.detail or "").split(",") if topic)

    @cached_property
    def large_deleted(self) -> Mapping[str, Event]:
        """Topics of several partitions that are deleted -> the first line, by its time, that shows it."""
        counts: dict[str, int] = {}
        for topic, _ in self.named:
            counts[topic] = counts.get(topic, 0) + 1
        deletes = ((each.topic or "", each) for each in self.compared if each.to_state in _DELETES)
        found: dict[str, Event] = {}
        for topic, event in sorted((*self.deletions(), *deletes), key=lambda each: each[1].ts or 0):
            if counts.get(topic, 0) > 1:
                found.setdefault(topic, event)
        return found

    @cached_property
    def created_before(self) -> Mapping[Key, frozenset[Key]]:
        """Partition -> those that may be taken to be created before it: the same controller prints them before.

        The order of partitions that a controller finds at the same time makes no difference. Only topics that are
        created once and never deleted have one.
        """
        first: dict[Key, Event] = {}
        again: set[Key] = set()
        for event in self.compared:
            key = key_of(event)
            if key is None:
                continue
            if event.to_state in _DELETES or (event.row == CREATED and key in first):
                again.add(key)
            first.setdefault(key, event)
        found: dict[Key, frozenset[Key]] = {}
        before: dict[int | None, set[Key]] = {}
        for key, event in first.items():
            if event.row == CREATED and key not in again:
                mine = before.setdefault(event.controller_epoch, set())
                found[key] = frozenset(mine)
                mine.add(key)
        return found

    @cached_property
    def creators(self) -> Mapping[Key, frozenset[int]]:
        """Partition -> the epochs of the controllers that note its creation: they had started by then.

        Partitions that controllers name before are left out: they existed when the controller started.
        """
        lines: dict[Key, list[Event]] = {}
        for event in self.compared:
            key = key_of(event)
            if key is not None and event.controller_epoch is not None:
                lines.setdefault(key, []).append(event)
        created = ((key, own) for key, own in lines.items() if own[0].row == CREATED)
        return sets_of((key, each.controller_epoch or 0) for key, own in created for each in own if each.row == CREATED)

    @cached_property
    def spoken_of(self) -> Mapping[int | None, frozenset[Key]]:
        """Controller epoch -> the partitions that its controller names, whose creation no line shows."""
        created = {key_of(each) for each in self.compared if each.row == CREATED}
        named = ((event.controller_epoch, key_of(event)) for event in self.compared)
        return sets_of((epoch, key) for epoch, key in named if key is not None and key not in created)

    @cached_property
    def found(self) -> Mapping[int, frozenset[Key]]:
        """Controller epoch -> partitions that were there when it read them: it names them before their creation.

        Only where the level shows creations: it is that of elections.
        """
        if not any(event.row in (CREATED, "partition-online") for event in self.compared):
            return {}
        first: dict[tuple[int, Key], str] = {}
        for event in self.compared:
            key, epoch = key_of(event), event.controller_epoch
            if key is not None and epoch is not None:
                first.setdefault((epoch, key), event.row)
        none = {epoch: frozenset[Key]() for epoch, _ in first}
        return none | sets_of(each for each, row in first.items() if row != CREATED)

    @cached_property
    def created_together(self) -> Sequence[Together]:
        """The partitions that a controller notes at one time: their lines follow each other, and others come after."""
        found: list[Together] = []
        batch: set[Key] = set()
        epoch: int | None = None
        for event in (*self.compared, None):
            created = event is not None and event.row == CREATED and event.controller_epoch == epoch
            if batch and not created:
                found.append(Together(frozenset(batch), event is None or event.controller_epoch != epoch))
                batch = set()
            if event is not None:
                epoch, key = event.controller_epoch, key_of(event)
                batch |= {key} if event.row == CREATED and key is not None else set()
        return found

    @cached_property
    def isr_changes_begin(self) -> int | None:
        """The first of the compared lines before which a leader changed an ISR; None if there is none."""
        found = (number for number, each in enumerate(self.compared) if _changed_by_leader(each))
        return next(found, None)

    @cached_property
    def other_isr_changes(self) -> Mapping[Key, int]:
        """Partitions whose ISR a leader changed, by lines that are not compared alone -> the time of the first one."""
        compared = {key_of(each) for each in self.compared if _changed_by_leader(each)}
        found: dict[Key, int] = {}
        for event in self.events:
            key = key_of(event)
            if key in self.named and key not in compared and (event.row in ISR_CHANGES or _changed_by_leader(event)):
                found[key] = min(_time(event), found.get(key, _time(event)))
        return found

    @cached_property
    def announced(self) -> frozenset[tuple[Key | None, frozenset[int]]]:
        """The partitions with the ISRs that their leaders announce, without the version."""
        return frozenset(
            (key_of(each), frozenset(each.isr)) for each in self.events if each.row in ANNOUNCED and each.isr
        )

    @cached_property
    def elected_again(self) -> Event | None:
        """The first election of a leader that leads already, for which an administrator asked.

        Up to 2.1 the partitions that are named are elected, whoever leads them (onPreferredReplicaElection).
        """
        leaders: dict[Key, int | None] = {}
        for event in self.compared:
            key = key_of(event)
            if key is None or event.row != "partition-online":
                continue
            if event.from_state == event.to_state and leaders.get(key, NO_LEADER) == event.leader:
                return event
            leaders[key] = event.leader
        return None

    def can_be_unseen(self, key: Key, epoch: int, version: int) -> bool:
        """Check whether a leader can have written a version that no line shows: an election raises the epoch too."""
        later = ((number, its) for number, shown in self.isrs.get(key, {}).items() for its, _ in shown)
        unseen = version not in self.isrs.get(key, {})
        return unseen and any(0 <= its - epoch <= number - version for number, its in later)

    def must_be_unseen(self, key: Key, epoch: int, version: int, isr: frozenset[int]) -> bool:
        """Check whether the next version that a line shows implies that a leader wrote this one, and can follow it."""
        known = self.isrs.get(key, {})
        after = min((each for each in known if each > version), default=None)
        if version in known or after is None:
            return False
        return any(_can_become(isr, shown, after - version, its - epoch) for its, shown in known[after])

    @cached_property
    def isrs(self) -> Mapping[Key, Mapping[int, frozenset[tuple[int, frozenset[int]]]]]:
        """Partition -> version of its state znode -> leader epochs and ISRs that lines show; of several lives, all."""
        found: dict[Key, list[tuple[int, tuple[int, frozenset[int]]]]] = {}
        for event in self.events:
            key, version, epoch = key_of(event), event.partition_epoch, event.leader_epoch
            if key is not None and version is not None and epoch is not None and event.isr:
                found.setdefault(key, []).append((version, (epoch, frozenset(event.isr))))
        return {key: sets_of(own) for key, own in found.items()}


def _time(event: Event) -> int:
    return event.ts or 0


def _had(asked: Event) -> frozenset[int]:
    """Return the replicas that a partition had when others were asked for: since 2.4 lines print the added ones."""
    goes_on = asked.adding or asked.removing
    return frozenset(asked.replicas or ()) - frozenset(asked.adding or ()) if goes_on else frozenset()


def _changed_by_leader(event: Event) -> bool:
    """Check whether a leader wrote it: a controller raises version and leader epoch, a leader the version only."""
    version, epoch = event.partition_epoch, event.leader_epoch
    return version is not None and epoch is not None and version > epoch


def _can_become(isr: frozenset[int], shown: frozenset[int], versions: int, epochs: int) -> bool:
    """Check whether an ISR can be another one so many versions and leader epochs later: controllers raise both.

    No write of a controller adds a broker. Unclean elections, and leaders' writes that drop some and add others, are
    left out.
    """
    if not 0 <= epochs <= versions:
        return False
    return shown <= isr or (epochs < versions and isr <= shown)


def _named_in(event: Event) -> set[int]:
    """The brokers that a line names as replicas of its partition."""
    ones = {one for one in (event.replica, event.leader) if one is not None and one > NO_LEADER}
    return ones | set(event.isr or ())
