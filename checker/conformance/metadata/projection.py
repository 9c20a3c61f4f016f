"""A partition and its brokers, as records make them, as a state of the model: brokers are numbered in it from 0 on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....model.kraft import state as fields
from ....model.sorts import Value
from ...audit.observe.kraft.state import Broker, Cluster, Partition

NOBODY = fields.NOBODY
PARTITION = ("isr", "leader", "recovering", "place", "adding", "removing", "elr", "last_known", "leader_epoch")
"""The fields of a partition that are compared; epochs count from those before."""
_MANY = 1 << 30
_ANYWHERE = frozenset({"AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ"})
"""Directories that count as online: MIGRATING and UNASSIGNED (DirectoryId.isOnline)."""


@dataclass(frozen=True)
class Projection:
    """The brokers that a step is about, and the cluster that they are registered in.

    Args:
        ids: of the brokers, sorted; their places are the numbers in the model.
    """

    ids: tuple[int, ...]
    cluster: Cluster

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        return {id: number for number, id in enumerate(self.ids)}

    def set(self, ids: Iterable[int]) -> frozenset[int]:
        return frozenset(self.numbers[each] for each in ids)

    def one(self, id: int) -> int:
        return self.numbers.get(id, NOBODY)

    def places(self, replicas: Sequence[int]) -> tuple[int, ...]:
        return tuple(replicas.index(id) if id in replicas else NOBODY for id in self.ids)

    def registrations(self) -> tuple[str, ...]:
        return tuple(registration(self.cluster.brokers.get(id)) for id in self.ids)

    def brokers(self, min_isr: int | None) -> dict[str, Value]:
        """The settings, and the fields that are no partition's."""
        return {
            "brokers": len(self.ids),
            "replicas": len(self.ids),
            "max_partition_epoch": _MANY,
            "min_isr": _MANY if min_isr is None else min_isr,
            "registration": self.registrations(),
            "request": None,
            "wanted": (NOBODY,) * len(self.ids),
        }

    def partition(self, one: Partition | None, since: Partition | None = None) -> dict[str, Value]:
        """The fields of a partition; epochs count from those of `since`, or of itself."""
        if one is None:
            nothing: frozenset[int] = frozenset()
            return {
                **dict.fromkeys(("isr", "adding", "removing", "elr"), nothing),
                "leader": NOBODY,
                "last_known": NOBODY,
                "recovering": False,
                "leader_epoch": 0,
                "place": (NOBODY,) * len(self.ids),
                "partition_epoch": 0,
            }
        since = since or one
        return {
            "isr": self.set(one.isr),
            "leader": self.one(one.leader),
            "recovering": one.recovering == 1,
            "place": self.places(one.replicas),
            "adding": self.set(one.adding),
            "removing": self.set(one.removing),
            "elr": self.set(one.elr),
            "last_known": self.one(one.last_known[0]) if len(one.last_known) == 1 else NOBODY,
            "leader_epoch": one.leader_epoch - since.leader_epoch,
            "partition_epoch": one.partition_epoch - since.partition_epoch,
        }

    def offline(self, one: Partition | None) -> frozenset[int]:
        """The brokers on which the replica's directory is known to have failed."""
        pairs = zip(one.replicas, one.directories, strict=False) if one is not None else ()
        return self.set(broker for broker, directory in pairs if self._failed(broker, directory))

    def _failed(self, broker: int, directory: str) -> bool:
        there = self.cluster.brokers.get(broker)
        known = there.directories if there is not None else ()
        return bool(known) and directory not in {*_ANYWHERE, *known}


def registration(broker: Broker | None) -> str:
    """What a broker is in the model."""
    if broker is None:
        return fields.UNREGISTERED
    if broker.in_shutdown:
        return fields.LEFT if broker.fenced else fields.LEAVING
    return fields.FENCED if broker.fenced else fields.UNFENCED


def brokers_of(*partitions: Partition | None) -> set[int]:
    """All brokers that registrations of a partition name."""
    found: set[int] = set()
    for each in partitions:
        if each is not None:
            found.update(each.replicas, each.isr, each.elr, each.adding, each.removing, each.last_known, (each.leader,))
    return {each for each in found if each >= 0}
