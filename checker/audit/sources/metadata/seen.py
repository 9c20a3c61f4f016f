"""Facts that are collected on the way along a metadata log, for the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .....specs.metadata.levels import NAME
from .....traces.metadata.batches import Record
from ...files.file import LogFile
from ...table.protocol import Row
from .chronicle import Chronicle
from .conditions import Conditions
from .course import Course, Walked
from .deposed import OF_BROKERS
from .fold import Fold
from .known import Known
from .quorum import Joined
from .rows import Rows
from .state import Cluster, registration
from .unsure import Unsure


@dataclass
class Collected:
    """Facts collected on the way, for the report. Facts from the snapshot at the beginning have no time."""

    records: Counter[str] = field(default_factory=Counter)
    """Records by class, each of the log once, however many copies have it."""
    leaders: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By epoch its leader, with offset and time of the record that names it."""
    last: dict[int, Joined] = field(default_factory=dict)
    """By epoch its last committed batch."""
    levels: list[tuple[int, int | None, int]] = field(default_factory=list)
    """The levels of metadata.version with the offsets and times from which on they hold: (offset, ts, level)."""
    brokers: list[tuple[int, int | None, int, int, str]] = field(default_factory=list)
    """The epochs and states of brokers' registrations: (offset, ts, broker, epoch, state)."""
    migration: list[tuple[int, int | None, int]] = field(default_factory=list)
    """The states of a migration from ZooKeeper: (offset, ts, state)."""
    conditions: Conditions = field(default_factory=Conditions)
    """Partitions that are offline or under-replicated."""
    course: Course = field(default_factory=Course)
    """Steps of partitions, topics, directories and voters."""
    known: Known = field(default_factory=Known)
    """Faults that are legal in the releases that have them."""
    notes: list[str] = field(default_factory=list)
    begun: list[Row] | None = None
    """The partitions of the snapshots that history begins with; None if not requested."""
    rows: Rows | None = None
    """The rows of observations; None if not requested."""
    chronicle: Chronicle | None = None
    """The chronicle with which lines of text are compared; None if not requested."""
    unsure: Unsure = field(default_factory=Unsure)
    """Contents that this program does not know."""
    _registered: dict[int, tuple[int, str]] = field(default_factory=dict)

    def idled(self, committed: bool) -> None:
        """Count a NoOp that was alone in a batch."""
        self.records["decoded"] += 1
        if not committed:
            self.records["uncommitted"] += 1

    def counted(self, records: Sequence[Record], *, committed: bool = True) -> None:
        self.records["decoded"] += len(records)
        for record in records:
            if record.control or record.data is None:
                self.records["decoded"] -= 1
                self.records["unknown" if record.data is None else "control"] += 1
            elif record.partial:
                self.records["decoded"] -= 1
                self.records["partial"] += 1
        if not committed:
            self.records["uncommitted"] += len(records)

    def applied(self, fold: Fold, record: Record, file: int) -> None:
        """Record that a record of a type in `KEPT_TYPES`, in a file, was applied."""
        self.course.at[record.offset, record.timestamp] = file
        if record.type == "LEADER_CHANGE" and record.data is not None:
            self.leaders[record.epoch] = record.data["leaderId"], record.offset, record.timestamp
            return
        is_known = fold.state.whole or NAME in fold.state.features
        at = record.offset, record.timestamp
        if is_known and fold.state.level != (self.levels[-1][-1] if self.levels else 1):
            self.levels.append((*at, fold.state.level))
        if fold.state.migration != (self.migration[-1][-1] if self.migration else 0):
            self.migration.append((*at, fold.state.migration))
        if record.type not in _OF_LEVELS:
            self.registered(*at, fold.state)

    def registered(self, offset: int, ts: int | None, state: Cluster) -> None:
        """Record the brokers' states from an offset on."""
        now = {broker.id: (broker.epoch, registration(broker)) for broker in state.brokers.values()}
        over = self._registered.items() if state.whole else ()
        gone = {broker: (epoch, registration(None)) for broker, (epoch, _) in over if broker not in now}
        for broker, its in sorted({**now, **gone}.items()):
            if self._registered.get(broker) != its:
                self.brokers.append((offset, ts, broker, *its))
        self._registered = now

    def walked(self, files: Mapping[int, LogFile]) -> Walked:
        """Return the course of the log, which is over."""
        ends = max((each.time for each in self.last.values()), default=None)
        return self.course.walked(self.conditions.needed(), files, ends)

    def lost(self, offset: int) -> None:
        """Record that records before an offset are missing: the brokers' states are no longer known."""
        self.brokers += [(offset, None, broker, epoch, NOT_KNOWN) for broker, (epoch, _) in self._registered.items()]
        self._registered = {}


NOT_KNOWN = "Unknown"
"""A broker's state while records are missing that may have changed it."""
_OF_LEVELS = frozenset({"FEATURE_LEVEL_RECORD", "REMOVE_FEATURE_LEVEL_RECORD"})
KEPT_TYPES = _OF_LEVELS | {
    "ZK_MIGRATION_STATE_RECORD",
    "LEADER_CHANGE",
    "END_TRANSACTION_RECORD",
    "REGISTER_BROKER_RECORD",
    *OF_BROKERS,
}
"""Types of records that change the leader, metadata.version, or a broker's state."""
