"""A chronicle of partitions and brokers from the records of a metadata log, with which lines of text are compared."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import NamedTuple

from ...table.protocol import Row
from .rows import At
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
    reassigning: bool


class Happened(NamedTuple):
    """A record: its place, when it was written, and in which epoch."""

    file: int
    offset: int
    ts: int
    epoch: int

    @staticmethod
    def of(at: At) -> Happened:
        """Return the record at a place."""
        return Happened(at.file, at.offset, at.ts, at.controller_epoch)


class Handled(NamedTuple):
    """A controller's actions as a broker joined or left."""

    kind: str
    """"fence", "unfence", "shutdown" or "unregister"."""
    broker: int
    least: int
    """The least number of partitions that it changed."""
    most: int
    """The greatest number of partitions that it changed: for some beside its record, their leader may have requested
    the change, or their earlier state is not known.
    """
    at: Happened
    """The broker's record."""


_EPOCH, _TIME = itemgetter(0), attrgetter("at.ts")

SURELY_LATER = 1_000
"""Milliseconds that decide which of two things came first, even where milliseconds are lost."""
_AFTER = ("unfence", "shutdown")
"""Kinds whose changes of partitions come after the broker's record; those of others come before."""


@dataclass
class Chronicle:
    """Registrations by topic id and partition, in the order of their partition epochs."""

    ids: dict[str, set[str]] = field(default_factory=dict)
    """The topic ids that each name ever had."""
    of: dict[tuple[str, int], list[Registration]] = field(default_factory=dict)
    """The registrations."""
    brokers: dict[int, set[int]] = field(default_factory=dict)
    """The epochs that each broker registered with."""
    leaders: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """The leader of each raft epoch and the place of the record that names it: (leader, file, offset)."""
    from_start: bool = True
    """True if the log is complete from its first record."""
    last: int = 0
    """The time of the last committed record."""
    start: int = 0
    """The offset from which on records are available."""
    end: int = -1
    """The offset of the last committed batch."""
    broken: bool = False
    """True if offsets are missing."""
    led: dict[int, int] = field(default_factory=dict)
    """The leaders of epochs whose LeaderChange is not available, as lines of text show them."""
    mixed: bool = False
    """True if the log has a migration from ZooKeeper, in which brokers get states from elsewhere."""
    voters: set[int] = field(default_factory=set)
    """The nodes that were ever voters, according to records and quorum-state."""
    voters_change: bool = False
    """True if records add and remove voters."""
    removed: dict[str, Happened] = field(default_factory=dict)
    """The topics that were deleted."""
    left: dict[int, list[Happened]] = field(default_factory=dict)
    """The partitions that each broker stopped being a replica of, one by one."""
    hosts: dict[tuple[str, int], dict[int, Happened]] = field(default_factory=dict)
    """The brokers that are replicas, each with the record that made it one."""
    handled: dict[int, list[Handled]] = field(default_factory=dict)
    """The controllers' actions on each broker."""
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The times of each epoch's first and last committed batch."""
    _run: list[tuple[Partition, Partition] | None] = field(default_factory=list)
    _begun: tuple[str, int, Happened] | None = None

    def begins(self, state: Cluster, file: int, end: int) -> None:
        """Begin with a snapshot: its partitions are the first that are known; `end` is its end."""
        self.from_start, self.start = False, end
        for topic, name in state.names.items():
            self.ids.setdefault(name, set()).add(topic)
        for broker in state.brokers.values():
            self.registered(broker.id, broker.epoch)
        for partition in state.all():
            self._put(partition, file, -1, None, True)
        if state.voters is not None:
            self.voters_are(state.voters)

    def voters_are(self, voters: Iterable[int]) -> None:
        """Set the voters that records name from here on."""
        self.voters.update(voters)
        self.voters_change = True

    def never_votes(self, node: int) -> bool:
        """Return whether a node was never a voter, not even before the first available record.

        Voters of a quorum that no record changes are configured, the same for all time.
        """
        return bool(self.voters) and node not in self.voters and (self.from_start or not self.voters_change)

    def named(self, name: str, topic: str) -> None:
        self.ids.setdefault(name, set()).add(topic)

    def registered(self, broker: int, epoch: int) -> None:
        self.brokers.setdefault(broker, set()).add(epoch)

    def has_all_of(self, offset: int) -> bool:
        """Return whether a record at an offset, or in the batch of the next one, would certainly be available."""
        return not self.broken and self.start <= offset and offset + 1 < self.end

    def complete_since(self) -> int | None:
        """Return the time from which the log has every existing topic; None if nothing shows it.

        A migration writes all topics of ZooKeeper in one transaction (KRaftMigrationDriver), before any other topic.
        """
        if self.broken:
            return None
        if self.from_start and not self.mixed:
            return 0
        begun = min((first for first, _ in self.spans.values()), default=None)
        first = [own[0].ts for own in self.of.values()]
        times = [ts for ts in first if ts is not None]
        return begun if not self.mixed or len(times) < len(first) else min(times, default=None)

    def put(self, partition: Partition, at: At) -> None:
        """Add a partition as a record has made it."""
        if (partition.topic, partition.number) not in self.of and at.committed:
            here = Happened.of(at)
            self._hosts(partition).update(dict.fromkeys(partition.replicas, here))
        self._put(partition, at.file, at.offset, at.ts, at.committed)

    def _hosts(self, partition: Partition) -> dict[int, Happened]:
        return self.hosts.setdefault((partition.topic, partition.number), {})

    def changed(self, before: Partition, after: Partition, at: At) -> None:
        """Record a partition before and after a change."""
        self._run.append((before, after))
        if before.replicas != after.replicas:
            here, own = Happened.of(at), self._hosts(after)
            for broker in {*before.replicas} - {*after.replicas}:
                own.pop(broker, None)
                self.left.setdefault(broker, []).append(here)
            if at.committed:
                own |= dict.fromkeys({*after.replicas} - {*before.replicas}, here)

    def changed_unseen(self) -> None:
        """Record a change of a partition whose state is not known: the log begins later, and there is no snapshot."""
        self._run.append(None)

    def gone(self, topic: str, partitions: Iterable[Partition], at: Happened) -> None:
        """Record the deletion of a topic."""
        self.removed[topic] = at
        for partition in partitions:
            self.hosts.pop((topic, partition.number), None)
            for broker in partition.replicas:
                self.left.setdefault(broker, []).append(at)

    def handles(self, kind: str, broker: int, at: Happened) -> None:
        """Record that a broker joins or leaves; changes of partitions stand before or after that record."""
        if kind in _AFTER:
            self._begun = kind, broker, at
            return
        own = [(kind, broker, at), *([] if self._begun is None else [self._begun])]
        for each in own:
            made = _handled(*each[:2], self._run, each[2])
            self._did(
                made if len(own) == 1 else made._replace(least=0)
            )  # the changes belong to one of them, or to both
        self._run, self._begun = [], None

    def committed(self, epoch: int, ts: int, offset: int) -> None:
        """Record that a batch is committed; `offset` is its first."""
        self.end = offset
        first, last = self.spans.get(epoch, (ts, ts))
        self.spans[epoch] = min(first, ts), max(last, ts)
        self.last = max(self.last, ts)

    def settled(self, controller: int, ts: int) -> bool:
        """Return whether a proposal of that time stayed: a later write of the controller in the same epoch is
        committed.
        """
        return any(
            first <= ts and ts + SURELY_LATER < last
            for epoch, (first, last) in self.spans.items()
            if self._leader(epoch) == controller
        )

    def _leader(self, epoch: int) -> int | None:
        return self.leaders[epoch][0] if epoch in self.leaders else self.led.get(epoch)

    def handled_by(self, controller: int, ts: int, within: int) -> Iterator[Handled]:
        """Yield a controller's actions at about a time, in the epochs that it led."""
        for epoch, own in self.handled.items() if controller is not None else ():
            if self._leader(epoch) != controller:
                continue
            yield from own[bisect_left(own, ts - within, key=_TIME) : bisect_right(own, ts + within, key=_TIME)]

    def ends(self) -> None:
        """Record the end of consecutive changes of partitions."""
        if self._begun is not None:
            kind, broker, at = self._begun
            self._did(_handled(kind, broker, self._run, at))
            self._begun = None
        if self._run:
            self._run = []

    def _did(self, what: Handled) -> None:
        self.handled.setdefault(what.at.epoch, []).append(what)

    def _put(self, partition: Partition, file: int, offset: int, ts: int | None, committed: bool) -> None:
        own = self.of.setdefault((partition.topic, partition.number), [])
        isr, epoch = tuple(sorted(partition.isr)), partition.partition_epoch
        goes_on = bool(partition.adding or partition.removing)
        own.append(
            Registration(epoch, partition.leader_epoch, partition.leader, isr, file, offset, ts, committed, goes_on)
        )

    def at(self, topic: str, partition: int, epoch: int) -> tuple[str, Registration | None]:
        """Return "known" and the registration of a partition at a partition epoch; otherwise why the log has none.

        "foreign": no such topic or partition. "before", "ahead": outside the known epochs; after the last one it may be
        in no file, where offsets are missing.
        """
        own = self.of.get((topic, partition))
        if not own:
            return "foreign", None
        at = bisect_left(own, epoch, key=_EPOCH)
        if at < len(own) and own[at].partition_epoch == epoch:
            return "known", own[at]
        if at == len(own) and self.broken:
            return "before", None
        return ("before" if at == 0 else "ahead" if at == len(own) else "hole"), None

    def until(self, topic: str, partition: int, epoch: int) -> int | None:
        """Return the offset of the committed record that ended a state: the partition's next one, or its topic's
        deletion.
        """
        own = self.of.get((topic, partition), [])
        after = bisect_right(own, epoch, key=_EPOCH)
        if after < len(own):
            return own[after].offset if own[after].committed else None
        return self.removed[topic].offset if topic in self.removed else None

    def beside(self, row: Row) -> tuple[str, Registration | None]:
        """Compare a line that prints a partition at a partition epoch with the log.

        Return "fits", "differs", or the result of `at`. A line without a topic id is compared with all ids that its
        name had: one that fits suffices, and an unknown one may be meant. In ZooKeeper mode the name may have had ids
        that no record shows.
        """
        named = row.get("topic_id")
        if named is None and self.mixed:
            return "before", None
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
    """Return the fields of a line that differ from a registration; a field that it does not print does not differ."""
    isr = row.get("isr")
    pairs: Sequence[tuple[str, object, object]] = (
        ("leader epoch", row.get("leader_epoch"), there.leader_epoch),
        ("leader", row.get("leader"), there.leader),
        ("ISR", None if isr is None else tuple(sorted(isr)), there.isr),
    )
    return [name for name, printed, known in pairs if printed is not None and printed != known]


def _handled(kind: str, broker: int, run: Sequence[tuple[Partition, Partition] | None], at: Happened) -> Handled:
    changes = [each for each in run if each is not None]
    unseen = len(run) - len(changes)
    if kind == "unfence":
        led = sum(before.leader < 0 <= after.leader for before, after in changes)
        return Handled(kind, broker, led, led + unseen, at)
    led = sum(before.leader == broker != after.leader for before, after in changes)
    had = sum(broker in before.isr or broker in before.elr for before, _ in changes)
    return Handled(kind, broker, led, had + unseen, at)
