"""The result of an audit of all clusters, before it is split by cluster and narrowed for a reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....traces.timeline import ReplicaRow, TimelineRow
from ..doubt.in_words import InDoubt
from ..history.histories import Histories
from ..table.protocol import Row
from .brokers import BrokerTimeline
from .finding import Finding
from .happened import Happened
from .metadata import Metadata
from .moves import Move
from .scope import Scope
from .state import ClusterState
from .tally import Tally
from .unread import Unread


@dataclass(frozen=True)
class Repeated:
    """Lines of a file about partitions that repeat an earlier line of the same millisecond."""

    lines: int
    """The number of such lines."""
    first: int
    """The first of them."""
    last: int
    """The last of them."""

    @staticmethod
    def by_file(rows: Iterable[Row]) -> dict[int, Repeated]:
        """Return repeated lines by file, from rows (`file`, `n`, `first`, `last`), of which a file can have several."""
        found: dict[int, Repeated] = {}
        for row in rows:
            before = found.get(row["file"], Repeated(0, row["first"], row["last"]))
            found[row["file"]] = Repeated(
                before.lines + row["n"], min(before.first, row["first"]), max(before.last, row["last"])
            )
        return found


@dataclass(frozen=True)
class Audited:
    """The result of an audit."""

    histories: Histories
    findings: tuple[Finding, ...]
    """In the order of cluster, life, controller epoch, place."""
    tallies: Mapping[int, Mapping[str, Tally]]
    """By cluster and rule."""
    moves: tuple[Move, ...]
    repeated: Mapping[int, Repeated]
    """By the file's number, for files with repeated lines."""
    scopes: Mapping[int, Scope]
    """By cluster."""
    states: Mapping[int, ClusterState]
    """By cluster."""
    timeline: tuple[TimelineRow, ...] | None = None
    """None where no timeline was requested."""
    replicas: tuple[ReplicaRow, ...] | None = None
    """None where no timeline was requested."""
    brokers: Mapping[int, BrokerTimeline] = field(default_factory=dict)
    """By cluster; empty where no timeline was requested."""
    metadata: Metadata = field(default_factory=Metadata)
    defects: tuple[str, ...] = ()
    """Rules of which an error of ours hides some findings, and the errors."""
    not_known: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Contents of the logs that this program does not know, in words, by cluster."""
    in_doubt: Mapping[int, tuple[InDoubt, ...]] = field(default_factory=dict)
    """Lines in doubt by cluster, with the sign that shows it."""
    happened: Mapping[int, Sequence[Happened]] = field(default_factory=dict)
    """The things that happened, by cluster, one by one."""
    unread: Mapping[int, Unread] = field(default_factory=dict)
    """By cluster the parts of its story that no file shows."""
    versions: Sequence[Row] = ()
    """Lines in which processes print the release of their jars (journals.VERSION)."""


def numbered_by_cluster(found: Audited) -> Audited:
    """Return the same with the lives of each cluster numbered from 1."""
    number: dict[int, int] = {}
    known: Counter[int] = Counter()
    for life in found.histories.lives:
        known[life.cluster] += 1
        number[life.life] = known[life.cluster]
    histories = replace(
        found.histories,
        lives=tuple(replace(each, life=number[each.life]) for each in found.histories.lives),
        spans=tuple(replace(each, life=number[each.life]) for each in found.histories.spans),
    )
    findings = tuple(each if each.life is None else replace(each, life=number[each.life]) for each in found.findings)
    rows = None if found.timeline is None else tuple(replace(row, life=number[row.life]) for row in found.timeline)
    states = {
        cluster: replace(
            state,
            conditions=tuple(replace(each, life=number[each.life]) for each in state.conditions),
            refusals=tuple(
                each if each.life is None else replace(each, life=number[each.life]) for each in state.refusals
            ),
        )
        for cluster, state in found.states.items()
    }
    brokers = {
        cluster: replace(each, tenures=tuple(replace(one, life=number[one.life]) for one in each.tenures))
        for cluster, each in found.brokers.items()
    }
    return replace(found, brokers=brokers, histories=histories, findings=findings, states=states, timeline=rows)
