"""Steps of partitions, topics, directories and voters, collected on the way along a metadata log.

Not a verdict, and only of committed records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .....specs.metadata.levels import LEADER_RECOVERY, levels
from .....traces.place import Place
from ...files.file import LogFile
from ...observe.narrow import EVERYTHING, Narrow
from .rows import At
from .state import Broker, Cluster, Ids, Partition

KEPT = 10_000
"""The most occurrences of a kind that are kept; others are counted."""
SHRUNK, EXPANDED, UNCLEAN, UNDER_MIN = "isr-shrunk", "isr-expanded", "unclean-election", "under-min-isr"
CREATED, DELETED, REASSIGNING = "created", "deleted", "reassignment-running"
WAITING = "reassignment-stuck"
DIRECTORY_FAILED, VOTERS_CHANGED = "directory-failed", "voters-changed"
LEFT_BEHIND = "known-bug"
"""Kinds of occurrences: names of the vocabulary (specs/happenings.toml)."""
_BEFORE_TAKEOVER, _DURING, _COPIED_DURING = 2, 1, 8
"""States of a migration, and the level (3.4) at which topics of ZooKeeper are still copied in the second."""
_LEFT_UNTIL = max(each.level for each in levels().values() if each.release == "3.6")
"""The newest level of releases that leave the logs of removed replicas on brokers in ZooKeeper mode (KAFKA-16120)."""
_LOST = "AAAAAAAAAAAAAAAAAAAAAg"
"""The directory of a replica whose directory has failed. Source: DirectoryId.LOST."""


@dataclass(frozen=True)
class Where:
    """A record; `ts` is None in a snapshot."""

    file: int
    offset: int
    ts: int | None


@dataclass(frozen=True)
class Occurrence:
    """Something that records show, once or several times."""

    what: str
    first: Where
    topic: str | None = None
    partition: int | None = None
    node: int | None = None
    last: Where | None = None
    """The record of the last time, or that ends a spell; None: it happened once, or lasts."""
    lasts: bool = False
    """True for a spell that no record ends."""
    times: int = 1
    ids: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Brokers by their roles."""
    word: str = ""
    """A value that the record has: how a reassignment ended, a directory, or a partition."""


@dataclass(frozen=True)
class MigratedIds:
    """A record with which a migration from ZooKeeper takes over the blocks of producer ids."""

    at: Where
    broker: int
    """The broker that ZooKeeper gave the last block to."""
    following: int
    """The first id of the next block."""


@dataclass(frozen=True)
class Needed:
    """The brokers that decide who must come back for a partition without a leader, besides its ISR."""

    elr: Ids
    last_known: Ids
    away: Ids
    """The members of its ISR and ELR that are fenced, shut down or not registered; all if the spell is over."""
    diskless: Ids = ()
    """The members that are active, and whose directory with the replica has failed."""


@dataclass(frozen=True)
class Walked:
    """The course of one metadata log."""

    occurrences: tuple[Occurrence, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)
    """By kind, the number of times that are not kept."""
    files: Mapping[int, str] = field(default_factory=dict)
    at: Mapping[tuple[int, int | None], int] = field(default_factory=dict)
    """The files of records about brokers, leaders and the migration, by offset and time."""
    needed: Mapping[tuple[str, int, int], Needed] = field(default_factory=dict)
    """The spells of partitions without a leader, by topic, partition and offset of the first record."""
    moving: Mapping[tuple[str, int], Partition] = field(default_factory=dict)
    """The partitions whose reassignment no record ends, by topic and partition, as they are at the end."""
    migrated: tuple[MigratedIds, ...] = ()
    copied: Mapping[str, Where] = field(default_factory=dict)
    """The topics that a migration from ZooKeeper copies."""
    begins: int | None = None
    """The time of the first record; None if the log has the whole past of its cluster."""
    ends: int | None = None
    """The time of the last committed record."""

    def place(self, where: Where) -> Place:
        return Place(self.files[where.file], offset=where.offset)

    def places(self, offset: int, ts: int | None) -> tuple[Place, ...]:
        """Return the place of a record about brokers, leaders or the migration."""
        file = self.at.get((offset, ts))
        return () if file is None else (self.place(Where(file, offset, ts)),)


_Often = list[Any]
"""Changes of one partition's ISR: the first record, the last, and how often which brokers left, or joined, together."""


@dataclass(slots=True)
class _Running:
    """Partitions of a topic that are being reassigned, from the first that begins to the last that ends."""

    first: Where
    now: dict[int, Partition] = field(default_factory=dict)
    """By partition, as the last record has it."""
    numbers: set[int] = field(default_factory=set)
    adding: dict[int, Ids] = field(default_factory=dict)
    """By partition."""
    removing: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    waiting: dict[int, tuple[Where, Ids, Ids]] = field(default_factory=dict)
    """By partition whose added replicas are all in sync: since when, these, and those that stay and are not in sync."""


@dataclass
class Course:
    """All that happens along a log.

    Args:
        narrow: the request; other partitions and times are neither counted nor kept.
    """

    narrow: Narrow = EVERYTHING
    at: dict[tuple[int, int | None], int] = field(default_factory=dict)
    """As in `Walked`."""
    begins_at: int | None = None
    """As `Walked.begins`."""
    _migrated: list[MigratedIds] = field(default_factory=list)
    _copied: dict[str, Where] = field(default_factory=dict)
    _isrs: dict[str, dict[tuple[str, int], _Often]] = field(default_factory=lambda: {SHRUNK: {}, EXPANDED: {}})
    _below: dict[tuple[str, int], tuple[Where, int, Ids]] = field(default_factory=dict)
    """The partitions under their min ISR: the first record, the least size, and the last ISR."""
    _running: dict[str, _Running] = field(default_factory=dict)
    _occurrences: dict[str, list[Occurrence]] = field(default_factory=dict)
    _others: Counter[str] = field(default_factory=Counter)

    # Along the log

    def begins(self, state: Cluster, file: int) -> None:
        """Begin the log, or continue it after missing records, with `state`, which is a snapshot's of a `file`."""
        now = {(state.names.get(each.topic, each.topic), each.number): each for each in state.all()}
        for key in [*self._below]:
            self._above(*key, None)
        for name in [*self._running]:
            self._ended(name, None)
        nowhere = Where(file, 0, None)
        for (name, number), each in now.items():
            if each.adding or each.removing:
                self._reassigned(name, number, None, each, nowhere)
            least = state.min_isr(each)
            if least is not None and each.leader >= 0 and len(each.isr) < least:
                self._below[name, number] = nowhere, least, each.isr

    def changed(
        self, topic: str, before: Partition | None, after: Partition, least: int | None, state: Cluster, at: At
    ) -> None:
        """Record a change of a partition: half of all records, so it takes few calls.

        Args:
            least: its min ISR, if it is known.
            state: the current one.
        """
        if not at[5]:
            return  # not committed
        isr, key = after[3], (topic, after[1])
        if before is not None and before[3] != isr and (self.narrow is EVERYTHING or self.narrow.has(at.ts, key)):
            if after[2] != before[2] and after[2] >= 0 and _is_unclean(before, after, state):
                self._keep(_unclean(topic, before, after, at))
            else:
                for what, brokers in _moved(before[3], isr, after[4]):
                    often = self._isrs[what].get(key)
                    if often is None:
                        self._often(what, key, brokers, at)
                    else:
                        often[1] = at
                        often[2][brokers] = often[2].get(brokers, 0) + 1
        if least is not None and after[2] >= 0 and len(isr) < least:
            self._below[key] = self._below[key][0] if key in self._below else _where(at), least, isr
        elif self._below and key in self._below:
            self._above(*key, _where(at))
        if after[5] or after[6] or (before is not None and (before[5] or before[6])):
            self._reassigned(topic, after[1], before, after, _where(at))
        if state.migration == _DURING and before is not None and before[4] != after[4]:
            self._leaves(topic, before, after, state, at)

    def _leaves(self, topic: str, before: Partition, after: Partition, state: Cluster, at: At) -> None:
        """Record replicas that are removed from brokers in ZooKeeper mode, which are not asked to delete them."""
        if state.level > _LEFT_UNTIL or not self._asks(at.ts, topic):
            return
        for each in sorted({*before.replicas} - {*after.replicas}):
            broker = state.brokers.get(each)
            if broker is not None and broker.in_zookeeper and broker.active:
                self._keep(Occurrence(LEFT_BEHIND, _where(at), node=each, word=f"{topic}-{after.number}"))

    def created(self, topic: str, state: Cluster, at: At) -> None:
        """Record that a topic is created: those that a migration copies from ZooKeeper were there before."""
        copied = state.migration == _BEFORE_TAKEOVER or (state.migration == _DURING and state.level <= _COPIED_DURING)
        if not at.committed or not self._asks(at.ts, topic):
            return
        if not copied:
            self._keep(Occurrence(CREATED, _where(at), topic))
        elif len(self._copied) < KEPT:
            self._copied.setdefault(topic, _where(at))

    def deleted(self, topic: str, partitions: Collection[Partition], at: At) -> None:
        """Record that a topic is about to be deleted."""
        if not at.committed:
            return
        for each in partitions:
            if (topic, each.number) in self._below:
                self._above(topic, each.number, _where(at))
        if topic in self._running:
            self._ended(topic, _where(at), "the topic was deleted")
        if self._asks(at.ts, topic):
            self._keep(Occurrence(DELETED, _where(at), topic))

    def directories(self, broker: Broker, after: Sequence[str], at: At) -> None:
        """Record that a registered broker has other directories."""
        failed = [each for each in broker.directories if each not in after]
        if at.committed and self._asks(at.ts):
            for each in failed:
                self._keep(Occurrence(DIRECTORY_FAILED, _where(at), node=broker.id, word=each))

    def voters(self, before: Ids, after: Ids, at: At) -> None:
        """Record that the quorum has other voters."""
        if at.committed and before != after and self._asks(at.ts):
            ids = {"added": sorted({*after} - {*before}), "removed": sorted({*before} - {*after}), "now": after}
            self._keep(Occurrence(VOTERS_CHANGED, _where(at), ids=ids))

    def ids_migrated(self, broker: int, following: int, at: At) -> None:
        """Record that a migration writes the next block of producer ids, which no registered broker asks for."""
        if at.committed and self._asks(at.ts) and len(self._migrated) < KEPT:
            self._migrated.append(MigratedIds(_where(at), broker, following))

    # At the end

    def walked(
        self, needed: Mapping[tuple[str, int, int], Needed], files: Mapping[int, LogFile], ends: int | None
    ) -> Walked:
        """Return the course of the log, which is over.

        Args:
            needed: as in `Walked`.
            ends: the time of the last committed record.
        """
        occurrences = [each for own in self._occurrences.values() for each in own]
        for what, isrs in self._isrs.items():
            occurrences += [_changed(what, *key, often) for key, often in isrs.items()]
        occurrences += [each for key in self._below if self._asked(each := self._under_min(*key, None))]
        occurrences += [each for name in self._running if self._asked(each := self._reassigning(name, None))]
        occurrences += [each for name in self._running for each in self._waiting(name) if self._asked(each)]
        return Walked(
            tuple(occurrences),
            dict(self._others),
            {index: file.path for index, file in files.items()},
            self.at,
            needed,
            {(name, number): each for name, own in self._running.items() for number, each in own.now.items()},
            tuple(self._migrated),
            self._copied,
            self.begins_at,
            ends,
        )

    # Steps

    def _keep(self, each: Occurrence) -> None:
        own = self._occurrences.setdefault(each.what, [])
        if len(own) < KEPT:
            own.append(each)
        else:
            self._others[each.what] += each.times

    def _often(self, what: str, key: tuple[str, int], brokers: Ids, at: At) -> None:
        """Record the first change of an ISR of its kind."""
        own = self._isrs[what]
        if len(own) < KEPT:
            own[key] = [at, at, {brokers: 1}]
        else:
            self._others[what] += 1

    def _above(self, topic: str, partition: int, until: Where | None) -> None:
        each = self._under_min(topic, partition, until)
        del self._below[topic, partition]
        if self._asked(each):
            self._keep(each)

    def _under_min(self, topic: str, partition: int, until: Where | None) -> Occurrence:
        first, least, isr = self._below[topic, partition]
        ids = {"isr": isr, "least": (least,)}
        return Occurrence(UNDER_MIN, first, topic, partition, last=until, lasts=until is None, ids=ids)

    def _reassigned(self, topic: str, number: int, before: Partition | None, after: Partition, where: Where) -> None:
        """Record a partition that is, or was, being reassigned."""
        own = self._running.get(topic)
        if after.adding or after.removing:
            own = own or self._running.setdefault(topic, _Running(where))
            own.now[number] = after
            own.numbers.add(number)
            own.adding[number] = tuple(sorted({*own.adding.get(number, ()), *after.adding}))
            own.removing.update(after.removing)
            own.cancelled.discard(number)
            self._waits(own, number, after, where)
        elif own is not None and before is not None and number in own.now:
            del own.now[number]
            own.waiting.pop(number, None)
            if {*before.removing} & {*after.replicas} or not {*before.adding} <= {*after.replicas}:
                own.cancelled.add(number)
            if not own.now:
                self._ended(topic, where)

    def _waits(self, own: _Running, number: int, after: Partition, where: Where) -> None:
        """Record whether a reassignment waits for a replica that stays, which KAFKA-19975 ends."""
        missing = tuple(sorted({*after.replicas} - {*after.removing} - {*after.isr}))
        in_sync = bool(after.adding) and {*after.adding} <= {*after.isr}
        if in_sync and missing and len(after.adding) >= len(after.removing):
            since = own.waiting[number][0] if number in own.waiting else where
            own.waiting[number] = since, tuple(sorted(after.adding)), missing
        else:
            own.waiting.pop(number, None)

    def _waiting(self, topic: str) -> Iterator[Occurrence]:
        for number, (since, added, missing) in sorted(self._running[topic].waiting.items()):
            ids = {"added": added, "missing": missing}
            yield Occurrence(WAITING, since, topic, number, lasts=True, ids=ids)

    def _ended(self, topic: str, until: Where | None, word: str = "") -> None:
        each = self._reassigning(topic, until, word)
        del self._running[topic]
        if self._asked(each):
            self._keep(each)

    def _reassigning(self, topic: str, until: Where | None, word: str = "") -> Occurrence:
        own = self._running[topic]
        adding = sorted({each for ids in own.adding.values() for each in ids})
        ids = {"adding": adding, "removing": sorted(own.removing), "cancelled": sorted(own.cancelled)}
        ids["partitions"] = sorted(own.numbers)
        ids |= {adding_to(number): [*own.adding.get(number, ())] for number in own.now}
        return Occurrence(REASSIGNING, own.first, topic, last=until, lasts=until is None, ids=ids, word=word)

    # The request

    def _asks(self, ts: int | None, topic: str | None = None) -> bool:
        """Return whether a moment of a topic, or of none, is requested."""
        partition = self.narrow.partition
        if partition is not None and partition[0] != topic:
            return False
        return self.narrow.overlaps(*(partition or ("", -1)), ts, ts)

    def _asked(self, each: Occurrence) -> bool:
        until = None if each.last is None else each.last.ts
        named = self.narrow.partition or ("", -1)
        mine = named if each.partition is None and each.topic == named[0] else (each.topic or "", each.partition or 0)
        return self.narrow.overlaps(*mine, each.first.ts, until)


def adding_to(partition: int) -> str:
    """Return the name in the ids of a reassignment that lasts of those that are being added to a partition."""
    return f"adding to {partition}"


def _where(at: At) -> Where:
    return Where(at.file, at.offset, at.ts)


@lru_cache(maxsize=65536)
def _moved(before: Ids, after: Ids, replicas: Ids) -> tuple[tuple[str, Ids], ...]:
    """Return the members that left an ISR and are still replicas, and those that joined it, if any."""
    left, joined = ({*before} - {*after}) & {*replicas}, {*after} - {*before}
    return tuple((what, tuple(sorted(those))) for what, those in ((SHRUNK, left), (EXPANDED, joined)) if those)


def _is_unclean(before: Partition, after: Partition, state: Cluster) -> bool:
    """Return whether a new leader was elected uncleanly: a record marks it so, or it was neither in the ISR nor in the
    ELR, unless a reassignment ended.
    """
    if after.recovering and not before.recovering:
        return True
    if after.leader in before.isr or after.leader in before.elr:
        return False
    alone = after.isr == (after.leader,) and before.replicas == after.replicas
    return after.recovering or (state.level < LEADER_RECOVERY and alone)


def _unclean(topic: str, before: Partition, after: Partition, at: At) -> Occurrence:
    ids: dict[str, Ids] = {"before": (before.leader,), "leader": (after.leader,), "epoch": (after.leader_epoch,)}
    ids |= {"isr": before.isr, "elr": before.elr, "last": before.last_known}
    return Occurrence(UNCLEAN, _where(at), topic, after.number, ids=ids)


def _changed(what: str, topic: str, partition: int, often: _Often) -> Occurrence:
    first, last, times = _where(often[0]), _where(often[1]), often[2]
    each: Counter[int] = Counter()
    for brokers, count in times.items():
        each.update(dict.fromkeys(brokers, count))
    ids = {"brokers": sorted(each), "times": [each[broker] for broker in sorted(each)]}
    count = sum(times.values())
    return Occurrence(what, first, topic, partition, last=last if count > 1 else None, times=count, ids=ids)


def needed(partition: Partition, state: Cluster) -> Needed:
    """Return what decides who must come back for a partition that is without a leader."""
    able = dict.fromkeys((*partition.isr, *partition.elr))
    away = tuple(each for each in able if each not in state.active)
    lost = dict(zip(partition.replicas, partition.directories, strict=False))
    diskless = (each for each in able if each in state.active)
    failed = tuple(each for each in diskless if lost.get(each) == _LOST or state.lost_directory(partition, each))
    return Needed(partition.elr, partition.last_known, away, failed)
