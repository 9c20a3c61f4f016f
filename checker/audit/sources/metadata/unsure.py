"""Contents of a metadata log that this program does not know, and what they may have changed.

A record of an unknown type, a newer version, an unknown tag, a newer level of a feature, a controller of a newer
release: each may change more than is read here, and its changes may be legal by rules that are not written here. A rule
that looks at any of it has the verdict *unknown* at most. Everything else is judged as usual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from .....specs.metadata import bears, types_by_name
from .....specs.metadata.levels import NAME, beyond, features, level_name
from .....specs.releases import latest
from .....traces.metadata.batches import UNKNOWN_BATCH, Record
from .state import Data, Partition

_OF_BROKERS = frozenset({"REGISTER_BROKER_RECORD", "UNREGISTER_BROKER_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD"})
_FENCINGS = frozenset({"FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD"})
_OF_TOPICS = frozenset({"TOPIC_RECORD", "REMOVE_TOPIC_RECORD"})
_OF_PARTITIONS = frozenset({"PARTITION_RECORD", "PARTITION_CHANGE_RECORD"})


@dataclass
class Unsure:
    """Parts of the state that may differ from the result of the records that were read."""

    everything: bool = False
    quorum: bool = False
    """True if the leader of the metadata quorum, and its voters, are unsure."""
    brokers: set[int] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    """Ids of topics: the topic, and all its partitions."""
    partitions: set[tuple[str, int]] = field(default_factory=set)
    reasons: Counter[str] = field(default_factory=Counter)
    """The reasons in words, with the number of records for each."""

    @property
    def of_some(self) -> bool:
        """True if some broker, topic or partition is unsure."""
        return bool(self.brokers or self.topics or self.partitions)

    def __bool__(self) -> bool:
        return self.everything or self.quorum or self.of_some

    def met(self, record: Record) -> None:
        """Note a record that is partial."""
        if not bears(record.type):
            return
        self.reasons[_in_words(record)] += 1
        data, kind = record.data, record.type
        if record.control:
            self.quorum = True
        elif data is None:
            self.everything = True
        elif kind in _OF_PARTITIONS:
            self.partitions.add((data["topicId"], data["partitionId"]))
        elif kind in _OF_TOPICS:
            self.topics.add(data["topicId"])
        elif kind in _OF_BROKERS or kind in _FENCINGS:
            self.brokers.add(data["id" if kind in _FENCINGS else "brokerId"])
        else:
            self.everything = True

    def feature(self, name: str, level: int) -> None:
        """Note the level that a feature is set to."""
        if beyond(name, level):
            self.everything = True
            self.reasons[_feature_in_words(name, level)] += 1

    def runs(self, controller: int, newest: int | None) -> bool:
        """Return whether a controller has a newer release than is known, by the newest metadata.version that it
        supports.
        """
        if newest is None or not beyond(NAME, newest):
            return False
        self.reasons.setdefault(
            f"controller {controller} supports metadata.version up to {newest}: its release is newer than this program"
            f" knows (up to {latest().name})",
            1,
        )
        return True

    def has_partition(self, before: Partition | None, after: Partition) -> bool:
        """Return whether a partition, or a broker that it names, is unsure."""
        if after.topic in self.topics or after[:2] in self.partitions:
            return True
        named = {after.leader, *after.isr, *after.replicas, *after.elr, *after.last_known}
        if before is not None:
            named |= {before.leader, *before.isr, *before.replicas, *before.elr, *before.last_known}
        return not self.brokers.isdisjoint(named)

    def has(self, *, topic: str | None = None, partition: int | None = None, brokers: Collection[int] = ()) -> bool:
        """Return whether a topic by its id, its partition, or one of some brokers is unsure."""
        of_topic = topic in self.topics or (topic is not None and (topic, partition) in self.partitions)
        return self.everything or of_topic or not self.brokers.isdisjoint(brokers)

    def join(self, other: Unsure) -> None:
        """Add what another part of the log makes unsure."""
        self.everything |= other.everything
        self.quorum |= other.quorum
        self.brokers |= other.brokers
        self.topics |= other.topics
        self.partitions |= other.partitions
        self.reasons |= other.reasons

    def in_words(self) -> Iterator[str]:
        """Yield the reasons, for the headline of a report."""
        for reason, n in self.reasons.items():
            yield reason if n == 1 else f"{reason} ({n} times)"


def _in_words(record: Record) -> str:
    kind, data = types_by_name().get(record.type), record.data
    if record.type.startswith(UNKNOWN_BATCH):
        return f"batches with attributes {record.type.removeprefix(UNKNOWN_BATCH)[1:-1]} are not known"
    if kind is None:
        return f"records of type {record.type} are not known"
    if record.version < 0:
        return f"{record.type}: its content is not shown, as older releases of kafka-dump-log do not print it"
    newest = len(kind.since) - 1
    if record.version > newest:
        read = "read as far as possible" if data is not None else "not read"
        return f"{record.type}, version {record.version}, is newer than this program knows (up to {newest}): {read}"
    return f"{record.type}, version {record.version}, has tagged fields that this program does not know"


def _feature_in_words(name: str, level: int) -> str:
    there = features().get(name)
    if there is None:
        return f"the feature {name} (level {level}) is not known"
    known = f"{there.newest} ({level_name(there.newest)})" if name == NAME else str(there.newest)
    return f"{name} {level} is newer than this program knows: up to {known}"


def level_of(data: Data) -> int:
    """Return the level that a FeatureLevel record sets, in any shape of it."""
    return int(data.get("featureLevel", data.get("maxFeatureLevel", 0)))
