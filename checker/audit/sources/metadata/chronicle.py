"""What the records of a metadata log made of partitions and brokers, kept to hold lines of text against it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
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
    reassigning: bool


class Happened(NamedTuple):
    """A record: its place, when it was written, and in which epoch."""

    file: int
    offset: int
    ts: int
    epoch: int


class Handled(NamedTuple):
    """What a controller did as a broker came or went: `kind` is "fence", "unfence", "shutdown" or "unregister".

    It changed from `least` to `most` partitions: of others beside its record it is not known whether the partition's
    leader asked for them, or what they were before.
    """

    kind: str
    broker: int
    least: int
    most: int
    at: Happened


_EPOCH, _TIME = itemgetter(0), attrgetter("at.ts")


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
    @property
    def controller_epoch(self) -> int: ...


SURELY_LATER = 1_000
"""Milliseconds that tell which of two things was first, even where milliseconds are lost."""
_AFTER = ("unfence", "shutdown")
"""Of these the changes of partitions come after the broker's record; of others before."""


@dataclass
class Chronicle:
    """Registrations by topic id and partition, in the order of their partition epochs.

    `ids` are the topic ids that each name ever had; `brokers` the epochs that each broker registered with; `leaders`
    who led each raft epoch and the place of the record that says so: (leader, file, offset). `removed` are the topics
    that were deleted, `left` what each broker is a replica of no longer, partition by partition; `hosts` are the
    brokers that are replicas, each with the record that made it one. `from_start`: the log is here from its first
    record on. `spans` are the times of each epoch's first and last committed batch. `last` is the time of the last
    committed record, `end` the offset of the last committed batch, `start` the one from which on records are here.
    `broken`: offsets are missing in it. `mixed`: a migration from ZooKeeper is in it, in which brokers take states
    from elsewhere. `led` has who led an epoch whose LeaderChange is not here, as lines of text tell. `voters` are the
    nodes that were ever voters, as records and quorum-state tell; `voters_change`: records add and remove them.
    """

    ids: dict[str, set[str]] = field(default_factory=dict)
    of: dict[tuple[str, int], list[Registration]] = field(default_factory=dict)
    brokers: dict[int, set[int]] = field(default_factory=dict)
    leaders: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    from_start: bool = True
    last: int = 0
    start: int = 0
    end: int = -1
    broken: bool = False
    led: dict[int, int] = field(default_factory=dict)
    mixed: bool = False
    voters: set[int] = field(default_factory=set)
    voters_change: bool = False
    removed: dict[str, Happened] = field(default_factory=dict)
    left: dict[int, list[Happened]] = field(default_factory=dict)
    hosts: dict[tuple[str, int], dict[int, Happened]] = field(default_factory=dict)
    handled: dict[int, list[Handled]] = field(default_factory=dict)
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    _run: list[tuple[Partition, Partition] | None] = field(default_factory=list)
    _begun: tuple[str, int, Happened] | None = None

    def begins(self, state: Cluster, file: int, end: int) -> None:
        """History goes on from a snapshot: its partitions are the first that is known; its end."""
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
        """Records name all voters, from here on."""
        self.voters.update(voters)
        self.voters_change = True

    def never_votes(self, node: int) -> bool:
        """Whether a node was no voter at any time, also before the first record that is here: those of a quorum that no
        record changes are configured, the same for all."""
        return bool(self.voters) and node not in self.voters and (self.from_start or not self.voters_change)

    def named(self, name: str, topic: str) -> None:
        self.ids.setdefault(name, set()).add(topic)

    def registered(self, broker: int, epoch: int) -> None:
        self.brokers.setdefault(broker, set()).add(epoch)

    def has_all_of(self, offset: int) -> bool:
        """Whether a record at an offset, or in the batch that the next one is in, would certainly be here."""
        return not self.broken and self.start <= offset and offset + 1 < self.end

    def complete_since(self) -> int | None:
        """From when on the log has every topic that is there; None if nothing tells.

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

    def put(self, partition: Partition, at: Placed) -> None:
        """A partition as a record has made it."""
        if (partition.topic, partition.number) not in self.of and at.committed:
            here = Happened(at.file, at.offset, at.ts, at.controller_epoch)
            self._hosts(partition).update(dict.fromkeys(partition.replicas, here))
        self._put(partition, at.file, at.offset, at.ts, at.committed)

    def _hosts(self, partition: Partition) -> dict[int, Happened]:
        return self.hosts.setdefault((partition.topic, partition.number), {})

    def changed(self, before: Partition, after: Partition, at: Placed) -> None:
        """A partition before and after a change."""
        self._run.append((before, after))
        if before.replicas != after.replicas:
            here, own = Happened(at.file, at.offset, at.ts, at.controller_epoch), self._hosts(after)
            for broker in {*before.replicas} - {*after.replicas}:
                own.pop(broker, None)
                self.left.setdefault(broker, []).append(here)
            if at.committed:
                own |= dict.fromkeys({*after.replicas} - {*before.replicas}, here)

    def changed_unseen(self) -> None:
        """A change of a partition whose state nothing tells: the log begins later, and no snapshot is there."""
        self._run.append(None)

    def gone(self, topic: str, partitions: Iterable[Partition], at: Happened) -> None:
        """A topic is deleted."""
        self.removed[topic] = at
        for partition in partitions:
            self.hosts.pop((topic, partition.number), None)
            for broker in partition.replicas:
                self.left.setdefault(broker, []).append(at)

    def handles(self, kind: str, broker: int, at: Happened) -> None:
        """A record says that a broker comes or goes; changes of partitions stand before or after it."""
        if kind in _AFTER:
            self._begun = kind, broker, at
            return
        own = [(kind, broker, at), *([] if self._begun is None else [self._begun])]
        for each in own:
            made = _handled(*each[:2], self._run, each[2])
            self._did(made if len(own) == 1 else made._replace(least=0))  # either's changes, or both's
        self._run, self._begun = [], None

    def committed(self, epoch: int, ts: int, offset: int) -> None:
        """A batch is committed; its first offset."""
        self.end = offset
        first, last = self.spans.get(epoch, (ts, ts))
        self.spans[epoch] = min(first, ts), max(last, ts)
        self.last = max(self.last, ts)

    def settled(self, controller: int, ts: int) -> bool:
        """Whether what a controller proposed at a time stayed: what it wrote later in the same epoch is committed."""
        return any(
            first <= ts and ts + SURELY_LATER < last
            for epoch, (first, last) in self.spans.items()
            if self._leader(epoch) == controller
        )

    def _leader(self, epoch: int) -> int | None:
        return self.leaders[epoch][0] if epoch in self.leaders else self.led.get(epoch)

    def handled_by(self, controller: int, ts: int, within: int) -> Iterator[Handled]:
        """What a controller handled at about a time, in the epochs that it led."""
        for epoch, own in self.handled.items() if controller is not None else ():
            if self._leader(epoch) != controller:
                continue
            yield from own[bisect_left(own, ts - within, key=_TIME) : bisect_right(own, ts + within, key=_TIME)]

    def ends(self) -> None:
        """Changes of partitions that follow each other have ended."""
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
        """What the log has of a partition at a partition epoch: "known", and the registration; else why it has none.

        "foreign": no such topic or partition. "before", "ahead": of the first, of the last that is known; behind the
        last it may be one that is in no file, where offsets are missing.
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
        """The offset of the committed record that ended a state: the partition's next one, or its topic's deletion."""
        own = self.of.get((topic, partition), [])
        after = bisect_right(own, epoch, key=_EPOCH)
        if after < len(own):
            return own[after].offset if own[after].committed else None
        return self.removed[topic].offset if topic in self.removed else None

    def beside(self, row: Row) -> tuple[str, Registration | None]:
        """A line that prints a partition at a partition epoch, beside the log.

        "fits", "differs", or as of `at`; where the line names no topic id, of all that its name had: one that fits
        will do, and one that is not known may be meant. In ZooKeeper mode it may have had ids that no record tells.
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
    """The fields of a line that differ from a registration; what it does not print does not differ."""
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
