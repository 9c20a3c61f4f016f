"""What metadata logs gave, beside what lines of text give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from ....traces.timeline import TimelineRow
from ..files.file import FileFacts, LogFile
from ..judge import Verdicts
from ..sources.metadata.chronicle import Chronicle
from ..table.protocol import Row
from .state import Condition, ConditionCount


@dataclass(frozen=True)
class Reign:
    """A node is the active controller in a raft epoch: the offset and the time of the record that says so, and the time
    of the last committed batch of the epoch; None where none is."""

    epoch: int
    leader: int
    offset: int
    first: int
    last: int | None


@dataclass(frozen=True)
class LevelChange:
    """From which offset and time on metadata.version has a level, and Kafka's name of it."""

    offset: int
    ts: int | None
    level: int
    name: str


@dataclass(frozen=True)
class BrokerChange:
    """From which offset and time on a broker is registered with an epoch, and its state (`broker-registration`)."""

    offset: int
    ts: int | None
    broker: int
    epoch: int
    state: str


@dataclass(frozen=True)
class MigrationChange:
    """From which offset and time on a migration from ZooKeeper has a state, as ZkMigrationState names it."""

    offset: int
    ts: int | None
    state: str


MIGRATION: Mapping[int, str] = {0: "NONE", 1: "MIGRATION", 2: "PRE_MIGRATION", 3: "POST_MIGRATION", 4: "ZK"}
"""The states by their numbers in the log. Source: ZkMigrationState (3.4 writes MIGRATION for PRE_MIGRATION)."""
_BEFORE, _TAKEN_OVER = MIGRATION[2], (MIGRATION[1], MIGRATION[3])


@dataclass(frozen=True)
class KnownFault:
    """A fault that is no finding, for that is how its releases work: which releases those are, since when it is fixed,
    in how many committed records of the log it is, and the offset of the first."""

    issue: str
    meaning: str
    releases: str
    fixed_in: str
    records: int
    first: int


@dataclass(frozen=True)
class MetadataLog:
    """What is told of one log: the nodes that have copies, where it begins and ends, up to which offset its records are
    committed and how that is known, who led which raft epoch and when, from which offset on which metadata.version
    held, how brokers came and went, how a migration from ZooKeeper went on, which faults of its releases it shows that
    are no findings, and which partitions were offline or under-replicated (state.py): `conditions` may be fewer than
    `counts` has. Where a snapshot has something, and no record, its time is None. Times are UTC. `files` are the
    segments and snapshots of all copies. `not_known` says what this program does not know of the log: whatever rests on
    that is unknown at most."""

    nodes: tuple[str, ...]
    begins: int
    ends: int
    committed: int
    because: str
    leaders: Mapping[int, int] = field(init=False)
    levels: tuple[LevelChange, ...]
    brokers: tuple[BrokerChange, ...]
    reigns: tuple[Reign, ...] = ()
    migration: tuple[MigrationChange, ...] = ()
    known: tuple[KnownFault, ...] = ()
    counts: tuple[ConditionCount, ...] = ()
    conditions: tuple[Condition, ...] = ()
    files: tuple[str, ...] = ()
    cluster: int = 0
    not_known: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """`leaders` is a key of the published JSON; `reigns` say more, and are where it comes from."""
        object.__setattr__(self, "leaders", {each.epoch: each.leader for each in self.reigns})

    @property
    def migrated(self) -> bool:
        """Whether KRaft has taken partitions over from ZooKeeper: from MIGRATION on, which is written once they are in
        the log. (KRaftMigrationDriver)"""
        return any(each.state in _TAKEN_OVER for each in self.migration)

    @property
    def taken_over(self) -> int | None:
        """When it did; None where no record says so: MIGRATION is a change only where another state was before."""
        return next((b.ts for a, b in pairwise(self.migration) if a.state == _BEFORE and b.state in _TAKEN_OVER), None)


@dataclass
class Metadata:
    """What the metadata logs of an audit gave. `verdicts` are those on their records; `records` are, by
    cluster, how many were decoded, control, unknown, and how many of all are not known to be committed. `files` are
    those of the logs. `chronicles` are, by cluster, its logs with their cluster ids, if they were asked for. `defects`
    are what keeps rules from being asked (judge.py). `nearest` are the rows of `Narrow.nearest` about records, where
    not everything is asked for."""

    verdicts: Verdicts = field(default_factory=Verdicts)
    facts: list[FileFacts] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    records: dict[int, Counter[str]] = field(default_factory=dict)
    logs: list[MetadataLog] = field(default_factory=list)
    timeline: list[TimelineRow] = field(default_factory=list)
    files: dict[int, LogFile] = field(default_factory=dict)
    defects: list[Row] = field(default_factory=list)
    chronicles: dict[int, list[tuple[str | None, Chronicle]]] = field(default_factory=dict)
    nearest: list[Row] = field(default_factory=list)


def joined(parts: Iterable[Metadata]) -> Metadata:
    """What the metadata logs of several clusters gave, as one audit of them gives it."""
    found = Metadata()
    for part in parts:
        found.verdicts += part.verdicts
        found.facts += part.facts
        found.notes += part.notes
        found.records |= part.records
        found.logs += part.logs
        found.timeline += part.timeline
        found.files |= part.files
        found.defects += part.defects
        found.chronicles |= part.chronicles
        found.nearest += part.nearest
    return found
