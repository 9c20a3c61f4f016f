"""The results from metadata logs, beside those from lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from ....traces.timeline import TimelineRow
from ..files.file import FileFacts, LogFile
from ..judge import Verdicts
from ..sources.metadata.chronicle import Chronicle
from ..sources.metadata.course import Walked
from ..table.protocol import Row
from .state import Condition, ConditionCount


@dataclass(frozen=True)
class Reign:
    """A node's time as the active controller in a raft epoch."""

    epoch: int
    leader: int
    offset: int
    """The offset of the record that names the leader."""
    first: int
    """The time of that record."""
    last: int | None
    """The time of the last committed batch of the epoch; None where there is none."""


@dataclass(frozen=True)
class LevelChange:
    """The offset and time from which metadata.version has a level, and Kafka's name of it."""

    offset: int
    ts: int | None
    level: int
    name: str


@dataclass(frozen=True)
class BrokerChange:
    """The offset and time from which a broker is registered with an epoch, and its state (`broker-registration`)."""

    offset: int
    ts: int | None
    broker: int
    epoch: int
    state: str


@dataclass(frozen=True)
class MigrationChange:
    """The offset and time from which a migration from ZooKeeper has a state, as ZkMigrationState names it."""

    offset: int
    ts: int | None
    state: str


MIGRATION: Mapping[int, str] = {0: "NONE", 1: "MIGRATION", 2: "PRE_MIGRATION", 3: "POST_MIGRATION", 4: "ZK"}
"""The states by their numbers in the log. Source: ZkMigrationState (3.4 writes MIGRATION for PRE_MIGRATION)."""
_BEFORE, _TAKEN_OVER = MIGRATION[2], (MIGRATION[1], MIGRATION[3])


@dataclass(frozen=True)
class KnownFault:
    """A fault that is not a finding, because that is how its releases work."""

    issue: str
    meaning: str
    releases: str
    """The releases that have the fault."""
    fixed_in: str
    """The release that fixed it."""
    records: int
    """The number of committed records of the log that show it."""
    first: int
    """The offset of the first such record."""


@dataclass(frozen=True)
class MetadataLog:
    """The facts about one metadata log. Times are UTC; a time is None where only a snapshot, and no record, has the
    fact.
    """

    nodes: tuple[str, ...]
    """The nodes that have copies."""
    begins: int
    """The first offset."""
    ends: int
    """The offset after the last record."""
    committed: int
    """The offset up to which records are committed."""
    because: str
    """The reason for that."""
    leaders: Mapping[int, int] = field(init=False)
    """The leader of each raft epoch: a key of the published JSON, derived from `reigns`."""
    levels: tuple[LevelChange, ...]
    """The levels of metadata.version."""
    brokers: tuple[BrokerChange, ...]
    """Registrations of brokers and their ends."""
    reigns: tuple[Reign, ...] = ()
    """The leaders of the raft epochs, with their times."""
    migration: tuple[MigrationChange, ...] = ()
    """The course of a migration from ZooKeeper."""
    known: tuple[KnownFault, ...] = ()
    """Faults of the log's releases that are not findings."""
    counts: tuple[ConditionCount, ...] = ()
    """The number of partitions that were offline or under-replicated."""
    conditions: tuple[Condition, ...] = ()
    """The times in which partitions were offline or under-replicated (state.py); may be fewer than `counts` has."""
    files: tuple[str, ...] = ()
    """The segments and snapshots of all copies."""
    course: Walked = field(default_factory=Walked)
    """Steps of partitions, topics and brokers, of which `happened` is made."""
    cluster: int = 0
    not_known: tuple[str, ...] = ()
    """Contents of the log that this program does not know: findings that depend on them are unknown at most."""

    def __post_init__(self) -> None:
        """Derive `leaders`, a key of the published JSON, from `reigns`, which say more."""
        object.__setattr__(self, "leaders", {each.epoch: each.leader for each in self.reigns})

    @property
    def migrated(self) -> bool:
        """True if KRaft has taken partitions over from ZooKeeper: from MIGRATION on, which is written once they are in
        the log (KRaftMigrationDriver).
        """
        return any(each.state in _TAKEN_OVER for each in self.migration)

    @property
    def taken_over(self) -> int | None:
        """The time of the takeover; None where no record shows it: MIGRATION is a change only after another state."""
        return next((b.ts for a, b in pairwise(self.migration) if a.state == _BEFORE and b.state in _TAKEN_OVER), None)


@dataclass
class Metadata:
    """The results from an audit's metadata logs and their nodes' lines."""

    verdicts: Verdicts = field(default_factory=Verdicts)
    """The verdicts on the logs' records."""
    facts: list[FileFacts] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    records: dict[int, Counter[str]] = field(default_factory=dict)
    """By cluster, the number of decoded, control and unknown records, and of those not known to be committed."""
    logs: list[MetadataLog] = field(default_factory=list)
    timeline: list[TimelineRow] = field(default_factory=list)
    files: dict[int, LogFile] = field(default_factory=dict)
    """The files of the logs."""
    defects: list[Row] = field(default_factory=list)
    """Reasons why rules could not be evaluated (judge.py)."""
    chronicles: dict[int, list[tuple[str | None, Chronicle]]] = field(default_factory=dict)
    """By cluster, its logs with their cluster ids, if requested."""
    nearest: list[Row] = field(default_factory=list)
    """The rows of `Narrow.nearest` about records, where the request is narrowed."""


def joined(parts: Iterable[Metadata]) -> Metadata:
    """Return the results from metadata logs of several clusters as those of one audit."""
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
