"""All that an audit found in the logs of all clusters, before it is split by cluster and narrowed for a reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ....traces.timeline import TimelineRow
from ..files.file import FileFacts
from ..history.histories import Histories
from ..table.protocol import Row
from .finding import Finding, in_report_order
from .moves import Move
from .tally import Tally, tallies


@dataclass(frozen=True)
class MetadataLog:
    """What is told of one log: the nodes that have a copy, where it begins and ends, up to which offset its records are
    committed and how that is known, who led which raft epoch, and from which offset on which metadata.version held."""

    nodes: tuple[str, ...]
    begins: int
    ends: int
    committed: int
    because: str
    leaders: Mapping[int, int]
    levels: tuple[LevelChange, ...]
    cluster: int = 0


@dataclass(frozen=True)
class LevelChange:
    """From which offset on metadata.version has a level, and Kafka's name of it."""

    offset: int
    level: int
    name: str


@dataclass
class Metadata:
    """What the metadata logs of an audit gave. `counts` are rows for tallies; `records` are, by cluster, how many were
    decoded, control, unknown, and how many of all are not known to be committed."""

    findings: list[Finding] = field(default_factory=list)
    counts: list[Row] = field(default_factory=list)
    facts: list[FileFacts] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    records: dict[int, Counter[str]] = field(default_factory=dict)
    logs: list[MetadataLog] = field(default_factory=list)
    timeline: list[TimelineRow] = field(default_factory=list)


@dataclass(frozen=True)
class Audited:
    """`findings` are in the order of cluster, life, controller epoch, place; `tallies` by cluster and rule.

    `repeated`: per file, where every event is there twice, how many lines are duplicates. `timeline` is None where it
    was not asked for.
    """

    histories: Histories
    findings: tuple[Finding, ...]
    tallies: Mapping[int, Mapping[str, Tally]]
    moves: tuple[Move, ...]
    repeated: Mapping[int, int]
    timeline: tuple[TimelineRow, ...] | None = None
    metadata: Metadata = field(default_factory=Metadata)

    def plus(self, metadata: Metadata) -> Audited:
        """With what the metadata logs gave."""
        if not metadata.logs:
            return self
        of_logs = tallies(metadata.counts)
        clusters = {*self.tallies, *of_logs}
        joined = {
            cluster: {
                **self.tallies.get(cluster, {}),
                **{
                    code: tally
                    for code, tally in of_logs.get(cluster, {}).items()
                    if tally.evaluated or code not in self.tallies.get(cluster, {})
                },
            }
            for cluster in clusters
        }
        found = sorted((*self.findings, *metadata.findings), key=in_report_order)
        timeline = None if self.timeline is None else (*self.timeline, *metadata.timeline)
        return replace(self, findings=tuple(found), tallies=joined, timeline=timeline, metadata=metadata)
