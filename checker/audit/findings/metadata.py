"""What metadata logs gave, beside what lines of text give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ....traces.timeline import TimelineRow
from ..files.file import FileFacts, LogFile
from ..observe.kraft.chronicle import Chronicle
from ..table.protocol import Row
from .finding import Finding
from .state import Condition, ConditionCount


@dataclass(frozen=True)
class LevelChange:
    """From which offset on metadata.version has a level, and Kafka's name of it."""

    offset: int
    level: int
    name: str


@dataclass(frozen=True)
class BrokerChange:
    """From which offset on a broker is registered with an epoch, and its state (`broker-registration`). `ts` is the
    time of the record, in milliseconds as written; None where a snapshot tells it, or records are missing."""

    offset: int
    broker: int
    epoch: int
    state: str
    ts: int | None = None


@dataclass(frozen=True)
class MigrationChange:
    """From which offset on a migration from ZooKeeper has a state, as ZkMigrationState names it."""

    offset: int
    state: str


MIGRATION: Mapping[int, str] = {0: "NONE", 1: "MIGRATION", 2: "PRE_MIGRATION", 3: "POST_MIGRATION", 4: "ZK"}
"""The states by their numbers in the log. Source: ZkMigrationState (3.4 writes MIGRATION for PRE_MIGRATION)."""


@dataclass(frozen=True)
class MetadataLog:
    """What is told of one log: the nodes that have a copy, where it begins and ends, up to which offset its records are
    committed and how that is known, who led which raft epoch, from which offset on which metadata.version held, how
    brokers came and went, how a migration from ZooKeeper went on, and which partitions were offline or under-replicated
    (state.py): `conditions` may be fewer than `counts` has."""

    nodes: tuple[str, ...]
    begins: int
    ends: int
    committed: int
    because: str
    leaders: Mapping[int, int]
    levels: tuple[LevelChange, ...]
    brokers: tuple[BrokerChange, ...]
    migration: tuple[MigrationChange, ...] = ()
    counts: tuple[ConditionCount, ...] = ()
    conditions: tuple[Condition, ...] = ()
    cluster: int = 0


@dataclass
class Metadata:
    """What the metadata logs of an audit gave, and what nodes print. `counts` are rows for tallies; `records` are, by
    cluster, how many were decoded, control, unknown, and how many of all are not known to be committed. `files` are
    those of the logs. `chronicles` are, by cluster, its logs with their cluster ids, if they were asked for. `defects`
    are what keeps rules from being asked (judge.py). `nearest` are the rows of `Narrow.nearest` about records, where
    not everything is asked for."""

    findings: list[Finding] = field(default_factory=list)
    counts: list[Row] = field(default_factory=list)
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
        found.findings += part.findings
        found.counts += part.counts
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
