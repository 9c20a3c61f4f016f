"""What the records of a metadata log made of partitions and brokers, kept to hold lines of text against it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, Protocol

from ...table.protocol import Row
from .state import Cluster, Partition


class Registration(NamedTuple):
    """A partition from a record on. `ts` is the record's time, `file` and `offset` its place."""

    partition_epoch: int
    leader_epoch: int
    leader: int
    isr: tuple[int, ...]
    file: int
    offset: int
    ts: int | None
    committed: bool


_EPOCH = itemgetter(0)


class Placed(Protocol):
    """Where a record stands, and when it was written."""

    @property
    def file(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def ts(self) -> int: ...
    @property
    def committed(self) -> bool: ...


@dataclass
class Chronicle:
    """Registrations by topic id and partition, in the order of their partition epochs.

    `ids` are the topic ids that each name ever had; `brokers` the epochs that each broker registered with; `leaders`
    who led each raft epoch and the place of the record that says so: (leader, file, offset). `from_start`: the log is
    here from its first record on. `last` is the time of the last committed record. `mixed`: a migration from ZooKeeper
    is in it, in which brokers take states from elsewhere.
    """

    ids: dict[str, set[str]] = field(default_factory=dict)
    of: dict[tuple[str, int], list[Registration]] = field(default_factory=dict)
    brokers: dict[int, set[int]] = field(default_factory=dict)
    leaders: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    from_start: bool = True
    last: int = 0
    mixed: bool = False

    def begins(self, state: Cluster, file: int) -> None:
        """History goes on from a snapshot: its partitions are the first that is known."""
        self.from_start = False
        for topic, name in state.names.items():
            self.ids.setdefault(name, set()).add(topic)
        for broker in state.brokers.values():
            self.registered(broker.id, broker.epoch)
        for partition in state.all():
            self._put(partition, file, -1, None, True)

    def named(self, name: str, topic: str) -> None:
        self.ids.setdefault(name, set()).add(topic)

    def registered(self, broker: int, epoch: int) -> None:
        self.brokers.setdefault(broker, set()).add(epoch)

    def put(self, partition: Partition, at: Placed) -> None:
        """A partition as a record has made it."""
        self._put(partition, at.file, at.offset, at.ts, at.committed)

    def _put(self, partition: Partition, file: int, offset: int, ts: int | None, committed: bool) -> None:
        own = self.of.setdefault((partition.topic, partition.number), [])
        isr, epoch = tuple(sorted(partition.isr)), partition.partition_epoch
        own.append(Registration(epoch, partition.leader_epoch, partition.leader, isr, file, offset, ts, committed))

    def at(self, topic: str, partition: int, epoch: int) -> tuple[str, Registration | None]:
        """What the log has of a partition at a partition epoch: "known", and the registration; else why it has none.

        "foreign": no such topic or partition. "before", "ahead": of the first, of the last that is known.
        """
        own = self.of.get((topic, partition))
        if not own:
            return "foreign", None
        at = bisect_left(own, epoch, key=_EPOCH)
        if at < len(own) and own[at].partition_epoch == epoch:
            return "known", own[at]
        return ("before" if at == 0 else "ahead" if at == len(own) else "hole"), None

    def beside(self, row: Row) -> tuple[str, Registration | None]:
        """A line that prints a partition at a partition epoch, beside the log.

        "fits", "differs", or as of `at`; where the line names no topic id, of all that its name had: one that fits
        will do, and one that is not known may be meant.
        """
        named = row.get("topic_id")
        ids: Iterable[str] = [named] if named is not None else sorted(self.ids.get(row["topic"], ()))
        found = [self._judged(row, topic) for topic in ids]
        for wanted in ("fits", "foreign", "before", "hole", "ahead", "differs"):
            for verdict, there in found:
                if verdict == wanted:
                    return verdict, there
        return "foreign", None

    def _judged(self, row: Row, topic: str) -> tuple[str, Registration | None]:
        verdict, there = self.at(topic, row["partition"], row["partition_epoch"])
        if there is None:
            return verdict, None
        if differing(row, there) and not there.committed:
            return "ahead", None
        return ("differs" if differing(row, there) else "fits"), there


def differing(row: Row, there: Registration) -> list[str]:
    """The fields of a line that differ from a registration; what it does not print does not differ."""
    isr = row.get("isr")
    pairs: Sequence[tuple[str, object, object]] = (
        ("leader epoch", row.get("leader_epoch"), there.leader_epoch),
        ("leader", row.get("leader"), there.leader),
        ("ISR", None if isr is None else tuple(sorted(isr)), there.isr),
    )
    return [name for name, said, known in pairs if said is not None and said != known]
