"""The way along a metadata log: the change of each record, as a question to the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ....model.kraft.state import FENCED, UNFENCED
from ....specs.metadata import bears
from ....traces.metadata.batches import Record
from ....traces.place import Place
from ...audit.files.metadata import Segment
from ...audit.sources.metadata.apply import apply
from ...audit.sources.metadata.beginnings import after_gap, first, snapshots
from ...audit.sources.metadata.fold import Fold
from ...audit.sources.metadata.quorum import Quorum, joined
from ...audit.sources.metadata.seen import Collected
from ...audit.sources.metadata.state import Broker, Partition, registration
from .answers import changes, leaves, registers
from .contexts import Choices, RecordContext, context
from .projection import BrokerChange, NumberedBrokers, PartitionChange, PartitionRegistration, brokers_of
from .relation import Objection
from .steps import Registered, registered

_PARTITION, _CHANGE = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD"
_WHOLE_EVENTS = 10_000
"""Records of a batch from which on an event may go on in the next one (QuorumController.maxRecordsPerBatch)."""
_SAME_PROCESS = Objection("Register", "the same process keeps its state")
_TAKES = frozenset({"Fence", "Unregister", "Register", "ShutDown"})
"""Steps after which the broker is in no ISR that it may leave."""
Key = tuple[str, int]
"""A topic's id and a partition's number."""


@dataclass(frozen=True)
class Rejected:
    """A record that no step writes: its place, its subject, and the objections to it; brokers by their ids."""

    place: Place
    about: str
    objections: Sequence[Objection]
    ids: Sequence[int]


@dataclass
class Walk:
    """The way along one log."""

    quorum: Quorum
    chosen: Choices
    matched: int = 0
    """The number of records that fit, of those `compared`."""
    compared: int = 0
    others: int = 0
    """The number of records that nothing is said about."""
    uncommitted: int = 0
    """The number of those that may have been taken back."""
    unknown: int | None = None
    """The first committed offset without a known state before it, neither of brokers nor of features; None if none."""
    beyond: int | None = None
    """The offset from which on nothing is compared, for something is not known to this program (`seen.unsure`)."""
    looked_at: list[tuple[int, int]] = field(default_factory=list)
    """The committed offsets, first and last of each stretch without a hole."""
    seen: Collected = field(default_factory=Collected)
    """Notes on where the log begins and what is missing."""
    at: RecordContext | None = None
    _fold: Fold = field(init=False)
    _batch: list[Registered] = field(default_factory=list)
    _earlier: dict[Key, list[Partition]] = field(default_factory=dict)
    _leaderless: set[Key] = field(default_factory=set)

    def along(self) -> Rejected | None:
        """Go to the first record that no step writes, and return it; None if each is written by one."""
        seen, waiting = self.seen, snapshots(self.quorum)
        self._fold, start = first(self.quorum, 0, waiting, seen)
        self._look_again()
        for each in joined(self.quorum, []):
            if each.gap:
                self._fold, start = after_gap(self.quorum, 0, waiting, each.frame.offset, seen)
                self._look_again()
            if each.frame.last < start:
                continue
            if not each.committed:
                self.others += len(each.records)
                self.uncommitted += len(each.records)
                continue
            if not self._fold.state.whole:
                self.others += len(each.records)
                self.unknown = each.frame.offset if self.unknown is None else self.unknown
                continue
            self._looks_at(max(each.frame.offset, start), each.frame.last)
            rejected = next(self._rejected(each.frame.offset, each.records, each.segment, start), None)
            if rejected is not None:
                return rejected
        return None

    @property
    def level(self) -> int | None:
        """metadata.version at the end; None if it is not known."""
        if self.at is not None:
            return self.at.level
        return self._fold.state.level if self._fold.state.features else None

    def _looks_at(self, first: int, last: int) -> None:
        if self.looked_at and self.looked_at[-1][1] == first - 1:
            first = self.looked_at.pop()[0]
        self.looked_at.append((first, last))

    def _look_again(self) -> None:
        self._leaderless = {(each.topic, each.number) for each in self._fold.state.all() if each.leader < 0}

    def _rejected(self, offset: int, records: Sequence[Record], segment: Segment, start: int) -> Iterator[Rejected]:
        fold = self._fold
        fold.begins(offset)
        self._earlier = {}
        self._batch = []
        for record in records:
            one = registered(record.type, record.data, record.offset) if record.data is not None else None
            self._batch += [one] if one is not None else []
        events = {each.offset: each for each in self._batch}
        applied = []
        for record in records:
            if record.offset < start:
                continue
            if fold.idles(record):
                self.others += 1
                continue
            if self._is_beyond(record) or fold.in_transaction:
                self._apply(record, segment)
                self.others += 1
                continue
            if record.type in (_PARTITION, _CHANGE):
                yield from self._partition(record, segment)
            elif record.offset in events:
                yield from self._registration(events[record.offset], record, segment)
                applied.append(events[record.offset])
            else:
                self._apply(record, segment)
                self.others += 1
            if record.type == "END_TRANSACTION_RECORD":
                self._look_again()
        fold.ends()
        if len(records) < _WHOLE_EVENTS and self.beyond is None:
            for each in applied:
                yield from self._left_out(each, segment)

    def _is_beyond(self, record: Record) -> bool:
        """Check whether a record, or one before it, is not known in full: the model then says nothing about it."""
        fold = self._fold
        beyond = (record.partial and bears(record.type)) or fold.unsure or fold.context.unsure
        if beyond and self.beyond is None:
            self.beyond = record.offset
        return bool(beyond)

    def _apply(self, record: Record, segment: Segment) -> None:
        apply(self._fold, record, segment, True)

    def _of(self, key: Key) -> Partition | None:
        return self._fold.state.partitions.get(key[0], {}).get(key[1])

    # Partitions

    def _partition(self, record: Record, segment: Segment) -> Iterator[Rejected]:
        data, state = record.data or {}, self._fold.state
        key = data["topicId"], data["partitionId"]
        before = self._of(key)
        least = None if before is None else state.min_isr(before)  # Kafka asks for it before it writes
        self._apply(record, segment)
        after = self._of(key)
        if after is None or (before is None) != (record.type == _PARTITION):
            self.others += 1  # of a topic or a partition of which nothing is known
            return
        (self._leaderless.add if after.leader < 0 else self._leaderless.discard)(key)
        bases = self._earlier.setdefault(key, [])
        projection = NumberedBrokers(brokers_of(before, after, *bases), state)
        states: list[tuple[PartitionRegistration | None, PartitionRegistration, frozenset[int]]]
        if before is None:
            states = [(None, projection.created(after), frozenset())]
        else:
            bases.append(before)
            states = [_step(projection, base, base.merged(data)) for base in reversed(bases)]
        self.at = context(self._fold, after.topic)
        written = PartitionChange(
            self.at,
            least,
            projection.registrations,
            tuple(states),
            tuple(self._events(projection, record.offset)),
            "directories" in data,
        )
        yield from self._judged(
            changes(written, self.chosen), record.offset, segment, self._name(after), projection.ids
        )

    def _events(self, projection: NumberedBrokers, offset: int) -> Iterator[BrokerChange]:
        for each in self._batch:
            if each.broker in projection.numbers:
                yield BrokerChange(each.step, projection.one(each.broker), offset < each.offset)

    def _name(self, partition: Partition) -> str:
        return f"{self._fold.state.names.get(partition.topic, partition.topic)}-{partition.number}"

    # Brokers

    def _registration(self, one: Registered, record: Record, segment: Segment) -> Iterator[Rejected]:
        state = self._fold.state
        before = state.brokers.get(one.broker)
        was, process = registration(before), _process(before)
        self._apply(record, segment)
        after = state.brokers.get(one.broker)
        if one.step == "LoseDirectory":
            self.others += 1
            return
        self.at = context(self._fold, "")._replace(unclean=False)  # of no topic
        if one.step == "Register" and process is not None and _process(after) == process:
            stays = registration(after) in (was, FENCED)
            objections: tuple[Objection, ...] = () if stays else (_SAME_PROCESS,)
        else:
            objections = registers(one.step, was, registration(after), self.at, self.chosen)
        yield from self._judged(objections, record.offset, segment, f"broker {one.broker}", [one.broker])

    def _left_out(self, one: Registered, segment: Segment) -> Iterator[Rejected]:
        """Yield partitions that should have changed with a registration, and that no record of the batch changes."""
        state = self._fold.state
        there = registration(state.brokers.get(one.broker))
        if one.step in _TAKES and there != UNFENCED:
            keys = sorted(state.in_isr(one.broker))
        elif one.step == "Unfence" and there == UNFENCED:
            keys = sorted(self._leaderless)
        else:
            return
        for key in (each for each in keys if each not in self._earlier):
            partition = self._of(key)
            if partition is None:
                self._leaderless.discard(key)
            elif one.step in _TAKES or one.broker in brokers_of(partition):
                projection = NumberedBrokers({*brokers_of(partition), one.broker}, state)
                objections = self._stays(one, partition, projection)
                if objections:
                    self.matched -= 1
                    place = Place(segment.path, offset=one.offset)
                    yield Rejected(place, self._name(partition), objections, projection.ids)

    def _stays(self, one: Registered, partition: Partition, projection: NumberedBrokers) -> Sequence[Objection]:
        seen = projection.partition(partition, None)
        at = context(self._fold, partition.topic)
        states = ((seen, seen, projection.offline(partition)),)
        written = PartitionChange(at, self._fold.state.min_isr(partition), projection.registrations, states)
        return leaves(one.step, projection.one(one.broker), written, self.chosen)

    def _judged(
        self, objections: Sequence[Objection], offset: int, segment: Segment, about: str, ids: Sequence[int]
    ) -> Iterator[Rejected]:
        self.compared += 1
        if objections:
            yield Rejected(Place(segment.path, offset=offset), about, objections, ids)
        else:
            self.matched += 1


def _step(
    projection: NumberedBrokers, before: Partition, after: Partition
) -> tuple[PartitionRegistration, PartitionRegistration, frozenset[int]]:
    return projection.partition(before, None), projection.partition(after, before), projection.offline(before)


def _process(broker: Broker | None) -> str | None:
    return None if broker is None else broker.incarnation
