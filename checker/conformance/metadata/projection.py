"""A partition and its brokers, as records make them, as a state of the model: brokers are numbered in it from 0 on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from ....model.kraft import state as model
from ....model.sorts import Value
from ...audit.sources.metadata.state import Cluster, Partition, registration
from .contexts import RecordContext

NOBODY = model.NOBODY
_ANYWHERE = frozenset({"AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ"})
"""Directories that count as online: MIGRATING and UNASSIGNED (DirectoryId.isOnline)."""
_NONE: frozenset[int] = frozenset()


class PartitionRegistration(NamedTuple):
    """A partition's registration, with brokers as numbers; epochs count from those of the state before."""

    isr: frozenset[int]
    leader: int
    recovering: bool
    place: tuple[int, ...]
    adding: frozenset[int]
    removing: frozenset[int]
    elr: frozenset[int]
    last_known: int
    leader_epoch: int
    partition_epoch: int


class BrokerChange(NamedTuple):
    """A record of the batch about a broker's registration: the model's step that wrote it, and whether it comes after
    the record in question."""

    step: str
    broker: int
    later: bool


class PartitionChange(NamedTuple):
    """A record that changes a partition, as the model sees it: equal ones get the same answer.

    * `states`: states of the partition in which the record may have been made, each with what it then makes of it and
      with the brokers whose directory has failed: records of one event do not see each other.
    * `directories`: the record names directories, of which the model only knows which have failed.
    """

    at: RecordContext
    min_isr: int | None
    registrations: tuple[str, ...]
    states: tuple[tuple[PartitionRegistration | None, PartitionRegistration, frozenset[int]], ...]
    events: tuple[BrokerChange, ...] = ()
    directories: bool = False


class NumberedBrokers:
    """The brokers that a step is about, and the cluster that they are registered in.

    Args:
        ids: of the brokers; in their order they get their numbers.
    """

    def __init__(self, ids: Iterable[int], cluster: Cluster) -> None:
        self.ids = sorted(ids)
        self.cluster = cluster
        self.numbers = {id: number for number, id in enumerate(self.ids)}

    def set(self, ids: Iterable[int]) -> frozenset[int]:
        return frozenset([self.numbers[each] for each in ids])

    def one(self, id: int) -> int:
        return self.numbers.get(id, NOBODY)

    def places(self, replicas: Sequence[int]) -> tuple[int, ...]:
        return tuple([replicas.index(id) if id in replicas else NOBODY for id in self.ids])

    @cached_property
    def registrations(self) -> tuple[str, ...]:
        return tuple([registration(self.cluster.brokers.get(id)) for id in self.ids])

    def partition(self, one: Partition, since: Partition | None) -> PartitionRegistration:
        since = since or one
        return PartitionRegistration(
            self.set(one.isr),
            self.one(one.leader),
            one.recovering == 1,
            self.places(one.replicas),
            self.set(one.adding),
            self.set(one.removing),
            self.set(one.elr),
            self.one(one.last_known[0]) if len(one.last_known) == 1 else NOBODY,
            one.leader_epoch - since.leader_epoch,
            one.partition_epoch - since.partition_epoch,
        )

    def created(self, one: Partition) -> PartitionRegistration:
        """A partition that did not exist before."""
        return self.partition(one, None)._replace(leader_epoch=one.leader_epoch, partition_epoch=one.partition_epoch)

    def offline(self, one: Partition | None) -> frozenset[int]:
        """The brokers on which the replica's directory is known to have failed."""
        if one is None:
            return _NONE
        pairs = zip(one.replicas, one.directories, strict=False)
        return self.set([broker for broker, directory in pairs if self._failed(broker, directory)])

    def _failed(self, broker: int, directory: str) -> bool:
        there = self.cluster.brokers.get(broker)
        known = there.directories if there is not None else ()
        return bool(known) and directory not in known and directory not in _ANYWHERE


def as_text(value: Value, name: str, ids: Sequence[int]) -> str:
    """A value of a field in words, with the ids of brokers."""
    if isinstance(value, frozenset):
        return str([ids[each] for each in sorted(value)])
    if name in ("leader", "last_known"):
        return "nobody" if value == NOBODY else str(ids[value])
    if name == "place":
        return str([ids[at] for _, at in sorted((place, at) for at, place in enumerate(value) if place != NOBODY)])
    return ", ".join(value) if isinstance(value, tuple) else str(value).lower()


def absent(brokers: int) -> PartitionRegistration:
    """A partition that does not exist, among a number of brokers."""
    return PartitionRegistration(_NONE, NOBODY, False, (NOBODY,) * brokers, _NONE, _NONE, _NONE, NOBODY, 0, 0)


def state_of(written: PartitionChange, seen: PartitionRegistration | None, offline: frozenset[int]) -> dict[str, Value]:
    """The settings and fields of the model."""
    count = len(written.registrations)
    return {
        "brokers": count,
        "replicas": count,
        "max_partition_epoch": _MANY,
        "min_isr": _MANY if written.min_isr is None else written.min_isr,
        "registration": written.registrations,
        "request": None,
        "wanted": (NOBODY,) * count,
        "offline": offline,
        **(seen or absent(count))._asdict(),
    }


_MANY = 1 << 30


def brokers_of(*partitions: Partition | None) -> set[int]:
    """All brokers that registrations of a partition name."""
    found: set[int] = set()
    for each in partitions:
        if each is not None:
            found.update(each.replicas, each.isr, each.elr, each.adding, each.removing, each.last_known, (each.leader,))
    found.discard(NOBODY)
    return found
