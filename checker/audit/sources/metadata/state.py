"""The state of a KRaft cluster, as the result of its metadata log's records.

Source: org.apache.kafka.controller.{ClusterControlManager,ReplicationControlManager,FeatureControlManager},
org.apache.kafka.metadata.PartitionRegistration.merge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from .....specs.machines import machine
from .....specs.metadata.levels import NAME
from .....traces.metadata.reader import uuid_text

Data = Mapping[str, Any]
NO_LEADER, NO_CHANGE = -1, -2
ELR_FEATURE = "eligible.leader.replicas.version"
MIN_ISR = "min.insync.replicas"
TOPIC, BROKER = 2, 4
"""Resource types of configurations."""
MIGRATING = "AAAAAAAAAAAAAAAAAAAAAA"
_RECOVERING = 1
LOST = uuid_text(bytes(15) + b"\2")
_RESERVED = frozenset(uuid_text(bytes(15) + bytes([number])) for number in range(100))
"""Placeholders for directories: migrating, unassigned, lost, and others that no release uses (DirectoryId.reserved)."""
_IN_MIGRATION = (1, 2)
"""States of the migration from ZooKeeper in which it is in progress."""


Ids = tuple[int, ...]
Key = tuple[str, int]
"""A topic's id and a partition's number."""


class Partition(NamedTuple):
    """One partition's registration; lists as records have them."""

    topic: str
    number: int
    leader: int
    isr: Ids
    replicas: Ids
    adding: Ids
    removing: Ids
    elr: Ids
    last_known: Ids
    recovering: bool
    leader_epoch: int
    partition_epoch: int
    directories: tuple[str, ...]

    @staticmethod
    def of(data: Data) -> Partition:
        """Return a partition from a Partition record."""
        return Partition(
            data["topicId"],
            data["partitionId"],
            data["leader"],
            tuple(data["isr"]),
            tuple(data["replicas"]),
            tuple(data["addingReplicas"]),
            tuple(data["removingReplicas"]),
            tuple(data.get("eligibleLeaderReplicas") or ()),
            tuple(data.get("lastKnownElr") or ()),
            data.get("leaderRecoveryState", 0) == _RECOVERING,
            data["leaderEpoch"],
            data["partitionEpoch"],
            tuple(data.get("directories") or ()),
        )

    def merged(self, data: Data) -> Partition:
        """Return the partition after a PartitionChange.

        Present fields replace the old ones; the partition epoch always grows, the leader epoch where a leader is named,
        even the same.
        """
        values: list[Any] = list(self)
        for name, value in data.items():
            at = _PLACES.get(name)
            if at is None or value is None:
                continue
            if type(value) is list:
                values[at] = tuple(value)
            elif value != _UNCHANGED[name]:
                values[at] = value if at == _LEADER else value == _RECOVERING
                values[_LEADER_EPOCH] += at == _LEADER
        values[_PARTITION_EPOCH] += 1
        return tuple.__new__(Partition, values)

    def cleared(self) -> Partition:
        """Return the partition after a ClearElr that affects it."""
        return self._replace(partition_epoch=self.partition_epoch + 1, elr=(), last_known=())

    def differences(self, other: Partition) -> list[str]:
        """Return the fields in which two registrations differ. No directories, and only MIGRATING, count as equal."""
        names = [name for name in _NAMES if name != "directories" and getattr(self, name) != getattr(other, name)]
        return names + ["directories"] * (_real(self.directories) != _real(other.directories))


_NAMES = Partition._fields


_RENAMED = {
    "removingReplicas": "removing",
    "addingReplicas": "adding",
    "leaderRecoveryState": "recovering",
    "eligibleLeaderReplicas": "elr",
    "lastKnownElr": "last_known",
}
_PLACES = {
    name: _NAMES.index(_RENAMED.get(name, name)) for name in ("replicas", "isr", "leader", "directories", *_RENAMED)
}
"""Fields of a PartitionChange, with their places in a registration."""
_UNCHANGED: Data = {"leader": NO_CHANGE, "leaderRecoveryState": -1}
_LEADER, _LEADER_EPOCH, _PARTITION_EPOCH = map(_NAMES.index, ("leader", "leader_epoch", "partition_epoch"))


def _real(directories: Sequence[str]) -> Sequence[str]:
    return () if all(each == MIGRATING for each in directories) else directories


@dataclass(slots=True)
class Broker:
    """A broker's registration; `newest` is the largest metadata.version that it supports, None if it names none."""

    id: int
    epoch: int
    incarnation: str
    fenced: bool
    in_shutdown: bool
    directories: list[str]
    newest: int | None
    cordoned: list[str] | None = None
    """Directories that get no new replica (KIP-1066); None until the broker has reported them."""
    rack: str | None = None
    in_zookeeper: bool = False
    """True if the process is in ZooKeeper mode, and registers because it is migrated."""

    @staticmethod
    def of(data: Data) -> Broker:
        return Broker(
            data["brokerId"],
            data["brokerEpoch"],
            data["incarnationId"],
            data["fenced"],
            data.get("inControlledShutdown", False),
            data.get("logDirs", []),
            newest_level(data),
            data.get("cordonedLogDirs"),
            data.get("rack"),
            data.get("isMigratingZkBroker", False),
        )

    @property
    def takes_replicas(self) -> bool:
        """True if some directory may get a new replica. Source: BrokerRegistration.hasUncordonedDirs."""
        return not self.directories or self.cordoned is None or not {*self.directories} <= {*self.cordoned}

    @property
    def active(self) -> bool:
        return not (self.fenced or self.in_shutdown)


def registration(broker: Broker | None) -> str:
    """Return the state of a broker in specs/machines/broker-registration.toml; None: it has no registration."""
    return _registrations()[None if broker is None else (broker.fenced, broker.in_shutdown)]


@cache
def _registrations() -> Mapping[tuple[bool, bool] | None, str]:
    unregistered, fenced, unfenced, leaving, left = (each.name for each in machine("broker-registration").states)
    return {
        None: unregistered,
        (True, False): fenced,
        (False, False): unfenced,
        (False, True): leaving,
        (True, True): left,
    }


def newest_level(data: Data) -> int | None:
    """Return the largest metadata.version in the features of a registration."""
    return next((each["maxSupportedVersion"] for each in data["features"] if each["name"] == NAME), None)


@dataclass
class Cluster:
    """The result of all of the log's records so far."""

    whole: bool = True
    """True if nothing of the cluster's past is missing, so that what is absent does not exist."""
    all_disks: bool = True
    """True if none of `disks` is missing, as it may be in a snapshot."""
    features: dict[str, int] = field(default_factory=dict)
    brokers: dict[int, Broker] = field(default_factory=dict)
    controllers: dict[int, int | None] = field(default_factory=dict)
    epochs: dict[int, int] = field(default_factory=dict)
    """The largest epoch of each broker."""
    disks: dict[int, set[str]] = field(default_factory=dict)
    """The directories that each broker ever registered."""
    names: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    ever: set[str] = field(default_factory=set)
    """The ids of all topics that ever existed."""
    partitions: dict[str, dict[int, Partition]] = field(default_factory=dict)
    configs: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)
    producer_ids: int | None = None
    migration: int = 0
    active: set[int] = field(default_factory=set)
    """The brokers that are registered, and neither fenced nor in controlled shutdown."""
    least: dict[str, int | None] = field(default_factory=dict)
    """The results of `min_isr` by topic, as long as they hold."""
    voters: tuple[int, ...] | None = None
    _moved: set[Key] = field(default_factory=set)
    _isrs: dict[Key, Ids] = field(default_factory=dict)
    _in_isr: dict[int, set[Key]] = field(default_factory=dict)

    @property
    def level(self) -> int:
        """metadata.version; without a record it is 1 (3.0-IV1)."""
        return self.features.get(NAME, 1)

    @property
    def elr(self) -> bool:
        """True if eligible leader replicas are on, or may be, because the record may be among what is missing."""
        return self.features.get(ELR_FEATURE, 0 if self.whole else 1) > 0

    @property
    def migrating(self) -> bool:
        """True if a migration from ZooKeeper is in progress, or may be, as for `elr`."""
        return self.migration in _IN_MIGRATION or (not self.migration and not self.whole)

    def inactive(self, brokers: Ids, leader: int) -> Ids:
        """Return which of the brokers, and of the leader, are known not to be active."""
        if leader in self.active and self.active.issuperset(brokers):
            return ()
        return tuple(sorted(each for each in {*brokers, leader} - {NO_LEADER} if self._inactive(each)))

    def _inactive(self, broker: int) -> bool:
        there = self.brokers.get(broker)
        return self.whole if there is None else not there.active

    def min_isr(self, partition: Partition) -> int | None:
        """Return the effective min.insync.replicas: at most the number of replicas of the topic's partition 0.

        None if no record shows it.
        """
        if partition.topic not in self.least:
            self.least[partition.topic] = self._min_isr(partition)
        return self.least[partition.topic]

    def _min_isr(self, partition: Partition) -> int | None:
        topic = self.configs.get((TOPIC, self.names.get(partition.topic, "")), {})
        configured = topic.get(MIN_ISR, self.configs.get((BROKER, ""), {}).get(MIN_ISR))
        first = self.partitions.get(partition.topic, {}).get(0)
        if configured is None or first is None or not configured.isdigit():
            return None
        return min(int(configured), len(first.replicas))

    def put(self, partition: Partition, before: Partition | None) -> None:
        """Set a partition's current state, given its previous one."""
        topic, number = key = partition[:2]
        there = self.partitions.get(topic)
        if there is None:
            there = self.partitions[topic] = {}
        there[number] = partition
        self._moved.add(key)
        if number == 0 and (before is None or before.replicas != partition.replicas):
            self.least.pop(topic, None)

    def remove(self, topic: str) -> None:
        self.least.pop(topic, None)
        name = self.names.pop(topic, None)
        if name is not None and self.ids.get(name) == topic:
            del self.ids[name]
            self.configs.pop((TOPIC, name), None)
        self._moved.update((topic, number) for number in self.partitions.pop(topic, {}))

    def in_isr(self, broker: int) -> Collection[Key]:
        """Return the partitions whose ISR contains a broker.

        Changed partitions are processed only on request: brokers leave far less often than ISRs change.
        """
        for key in self._moved:
            topic, number = key
            there = self.partitions.get(topic, {}).get(number)
            for member in self._isrs.pop(key, ()):
                self._in_isr[member].discard(key)
            if there is not None:
                self._isrs[key] = there.isr
                for member in there.isr:
                    self._in_isr.setdefault(member, set()).add(key)
        self._moved.clear()
        return self._in_isr.get(broker, ())

    def seen(self, broker: int) -> None:
        """Note that a broker's registration has changed, or is gone."""
        there = self.brokers.get(broker)
        (self.active.add if there is not None and there.active else self.active.discard)(broker)

    def register(self, broker: Broker) -> None:
        self.brokers[broker.id] = broker
        self.seen(broker.id)
        self.epochs[broker.id] = max(broker.epoch, self.epochs.get(broker.id, -1))
        self.disks.setdefault(broker.id, set()).update(broker.directories)

    def configure(self, data: Data) -> None:
        self.least.clear()
        there = self.configs.setdefault((data["resourceType"], data["resourceName"]), {})
        if data["value"] is None:
            there.pop(data["name"], None)
        else:
            there[data["name"]] = data["value"]

    def all(self) -> Iterator[Partition]:
        return (partition for there in self.partitions.values() for partition in there.values())

    def wrong_directories(self, partition: Partition, before: Partition | None) -> tuple[str, ...]:
        """Return new real directories of a partition's replicas that their brokers never registered."""
        if not self.whole:
            return ()
        had = set() if before is None else {*zip(before.replicas, before.directories, strict=False)}
        pairs = {*zip(partition.replicas, partition.directories, strict=False)} - had
        return tuple(sorted(d for replica, d in pairs if d not in _RESERVED and d not in self.disks.get(replica, ())))

    def put_where_cordoned(self, partition: Partition, before: Partition | None) -> tuple[int, ...]:
        """Return new replicas of a partition on brokers whose directories are all cordoned."""
        added = {*partition.replicas} - ({*before.replicas} if before is not None else set())
        return tuple(sorted(each for each in added if each in self.brokers and not self.brokers[each].takes_replicas))

    def may_be_lost(self, directories: Collection[str]) -> bool:
        """Return whether brokers may have had these directories before the snapshot that history begins with, and lost
        them.

        None of them is another broker's.
        """
        return not self.all_disks and not any({*directories} & others for others in self.disks.values())

    def lost_directory(self, partition: Partition, broker: int) -> bool:
        """Return whether a replica is in LOST, or in a directory that its broker no longer registers."""
        there = self.brokers.get(broker)
        own = dict(zip(partition.replicas, partition.directories, strict=False)).get(broker, MIGRATING)
        return own == LOST or (own not in _RESERVED and (there is None or own not in there.directories))
