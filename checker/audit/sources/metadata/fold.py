"""A cluster's state along its metadata log, and the rows that records contribute to each observation.

Each row has the levels that held at its record; lists in rows are as in records. `apply.py` applies records to a fold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .....specs.metadata.levels import jars, running
from .....traces.metadata.batches import Record
from .....traces.metadata.reader import NO_OP_RECORD
from ...observe.observation import Observation
from ...table.protocol import Row
from .chronicle import Chronicle
from .columns import DEPOSED, TOPICS, UNKNOWN_ENTITIES
from .conditions import Conditions
from .course import Course
from .deposed import Deposed
from .known import Known
from .rows import At, Context, Rows
from .state import Cluster, Data
from .unsure import Unsure


@dataclass(slots=True)
class Fold:
    """A cluster's state along its log, and what its records leave for those after them."""

    cluster: int
    """The number of the cluster in the audit."""
    state: Cluster = field(default_factory=Cluster)
    """The result of the records so far; at the beginning empty, or a snapshot's content."""
    first_broker_seen: bool = False
    """True once a broker has registered; from the start if the log does not begin with the cluster's first record."""
    leaders: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """For each epoch a leader, and the file and the offset where a copy names it."""
    chronicle: Chronicle | None = None
    """Receives the records' effects on partitions and brokers; None if not requested."""
    rows: Rows | None = None
    """Receives the records' rows; None if not requested."""
    conditions: Conditions | None = None
    """Receives changes of partitions; None if not requested."""
    course: Course | None = None
    """Receives what topics, directories and voters go through; None if not requested."""
    known: Known | None = None
    """Receives faults that are legal in the releases that have them; None if not requested."""
    unsure: Unsure = field(default_factory=Unsure)
    """Receives what this program does not know; its initial content is unsure from the start."""

    epoch: int = -1
    """The epoch of the last record."""
    leader: int | None = None
    """The active controller; None if no record of the epoch names it."""
    leader_changes: tuple[int, int] = (-1, -1)
    """The offsets from which, and before which, the last consecutive LeaderChange records stand."""
    quorum: tuple[int, ...] | None = None
    """The voters in the last LeaderChange."""
    base: int = -1
    """The first offset of the batch."""
    only_changes_since: int = -1
    """The offset, of the batch, from which on there are only changes of partitions."""
    touched: dict[str, tuple[At, int]] = field(default_factory=dict)
    """The topics that got partitions in the batch, with the first of these: its record and its number."""
    least_before: dict[str, int | None] = field(default_factory=dict)
    """For topics whose partition 0 got other replicas in the batch: the result of `min_isr` before it."""
    deposed: Deposed = field(default_factory=Deposed)
    """Active leaders that lost partitions in the last records."""
    first_data: At | None = None
    """The first data record."""
    held: list[tuple[Data, At]] | None = None
    """The records of the open metadata transaction; None: none is open."""
    held_since: int = -1
    """The epoch that it began in, or the last one in which it was reported to be left open."""
    may_be_open: bool = field(init=False)
    """True if the log begins later, without a snapshot, and nothing has shown yet whether inside a transaction."""
    last: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    """The file and the offset of the last record about an entity: for a partition by its key, else by a name."""
    known_context: Context | None = None
    """`context`, until a record may change it."""

    def __post_init__(self) -> None:
        self.may_be_open = not self.state.whole

    # Batches

    def led_by(self, leader: int | None, epoch: int) -> None:
        """Set the epoch of the records from here on, and its leader; None: no record names it."""
        self.leader, self.epoch, self.known_context = leader, epoch, None

    def begins(self, offset: int) -> None:
        """Begin a batch."""
        if self.deposed.waiting:
            self.deposed.begins(self.base)
        if self.least_before:
            self.least_before = {}
        self.base = self.only_changes_since = offset

    def ends(self) -> None:
        """End a batch: check whether the topics that got partitions in it have all from 0 on."""
        for topic, (at, number) in self.touched.items():
            numbers = self.state.partitions.get(topic, {})
            if numbers and self.state.whole:
                named = {"partition": number, "topic": self.state.names.get(topic, topic)}
                contiguous = max(numbers) == len(numbers) - 1
                self.show(TOPICS, at, named | {"contiguous": contiguous, "fresh": True, "free": True})
        if self.touched:
            self.touched = {}

    def idles(self, record: Record) -> bool:
        """Return whether a record is a NoOp without consequences, as half of all records are."""
        return record.type == NO_OP_RECORD and self.idles_at(record.offset, record.epoch)

    def idles_at(self, offset: int, epoch: int) -> bool:
        """Return whether the NoOp at an offset has no consequences."""
        if epoch != self.epoch or not self.first_broker_seen:
            return False
        self.only_changes_since = offset + 1
        if self.deposed.waiting:
            self.explained(NO_OP_RECORD, {})
        if self.chronicle is not None:
            self.chronicle.ends()
        return True

    @property
    def in_transaction(self) -> bool:
        """True while a metadata transaction is open: its records are applied when it ends."""
        return self.held is not None

    # Rows

    def show(self, observation: Observation, at: At, columns: Row, *, unsure: bool | None = None) -> None:
        """Add a row about a record, with the levels that hold and the possible releases of its controller.

        `unsure`: its subject is unsure; None: a topic, a partition or brokers in its columns are.
        """
        if self.rows is not None:
            row = self.context._asdict() | at._asdict() | columns
            if not row["unsure"]:
                row["unsure"] = self._is_unsure(columns) if unsure is None else unsure
            self.rows.add(observation.name, row)

    def _is_unsure(self, columns: Row) -> bool:
        """Return whether something that a row is about is unsure; its topic is there by name."""
        if not self.unsure:
            return False
        topic = self.state.ids.get(columns.get("topic") or "", columns.get("topic"))
        brokers = {columns.get("broker", -1), *columns.get("isr", ()), *columns.get("replicas", ())}
        return self.unsure.has(topic=topic, partition=columns.get("partition"), brokers=brokers)

    def explained(self, kind: str, data: Data) -> None:
        """Report a record that changes no partition, after some in which active leaders lost theirs."""
        for at, columns in self.deposed.explained(kind, data, self.state):
            self.show(DEPOSED, at, columns)

    def missing(self, at: At, topic: str, number: int | None = None) -> None:
        """Report a record about a topic or a partition that does not exist."""
        named = {"topic": self.state.names.get(topic, topic), "partition": number}
        self.show(UNKNOWN_ENTITIES, at, named | {"known": False})

    def earlier(self, at: At, entity: tuple[str, int]) -> Row:
        """Return the place of the previous record about the same entity."""
        before = self.last.get(entity)
        self.last[entity] = at.file, at.offset
        return {} if before is None else {"before_file": before[0], "before_offset": before[1]}

    @property
    def context(self) -> Context:
        """The possible releases of the controller, and the levels that hold, at this record."""
        if self.known_context is None:
            state = self.state
            unsure = self.unsure.everything or self._runs_newer()
            self.known_context = Context(self.releases, state.level, state.elr, state.migrating, unsure)
        return self.known_context

    def _runs_newer(self) -> bool:
        """Return whether the active controller has an unknown release."""
        leader, state = self.leader, self.state
        if leader is None:
            return False
        of_broker = state.brokers.get(leader)
        newest = state.controllers.get(leader, None if of_broker is None else of_broker.newest)
        return self.unsure.runs(leader, newest)

    @property
    def releases(self) -> int:
        """The possible releases of the active controller, by the levels that it registered; otherwise by the level."""
        state, leader = self.state, self.leader
        if leader is not None:
            if leader in state.controllers:
                return jars(state.controllers[leader])
            if leader in state.brokers:
                return jars(state.brokers[leader].newest)
        return running(state.level)


Handler = Callable[[Fold, Data, At], None]
"""Applies a record of one type, given its data and its place."""
