"""All that an audit found in the logs of all clusters, before it is split by cluster and narrowed for a reader."""

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
from .metadata import Metadata
from .moves import Move
from .scope import Scope
from .state import ClusterState
from .tally import Tally


@dataclass(frozen=True)
class Repeated:
    """How many lines of a file about partitions say what a line before them says of the same millisecond, and the first
    and the last of them."""

    lines: int
    first: int
    last: int

    @staticmethod
    def by_file(rows: Iterable[Row]) -> dict[int, Repeated]:
        """From rows (`file`, `n`, `first`, `last`), of which a file can have several."""
        found: dict[int, Repeated] = {}
        for row in rows:
            before = found.get(row["file"], Repeated(0, row["first"], row["last"]))
            found[row["file"]] = Repeated(
                before.lines + row["n"], min(before.first, row["first"]), max(before.last, row["last"])
            )
        return found


@dataclass(frozen=True)
class Audited:
    """`findings` are in the order of cluster, life, controller epoch, place; `tallies` by cluster and rule, `scopes`
    and `states` by cluster.

    `defects`: the rules of which an error of ours hides some findings, and the errors.
    `repeated` is by the file's number, where lines are there more than once. `timeline` and `replicas` are None, and
    `brokers` is empty, where a timeline was not asked for.
    """

    histories: Histories
    findings: tuple[Finding, ...]
    tallies: Mapping[int, Mapping[str, Tally]]
    moves: tuple[Move, ...]
    repeated: Mapping[int, Repeated]
    scopes: Mapping[int, Scope]
    states: Mapping[int, ClusterState]
    timeline: tuple[TimelineRow, ...] | None = None
    replicas: tuple[ReplicaRow, ...] | None = None
    brokers: Mapping[int, BrokerTimeline] = field(default_factory=dict)
    metadata: Metadata = field(default_factory=Metadata)
    defects: tuple[str, ...] = ()
    not_known: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By cluster what this program does not know of its logs, in words."""
    in_doubt: Mapping[int, tuple[InDoubt, ...]] = field(default_factory=dict)
    """By cluster which lines cannot be taken at their word, and which sign shows it."""
    versions: Sequence[Row] = ()
    """Lines in which processes print the release of their jars (journals.VERSION)."""


def numbered_by_cluster(found: Audited) -> Audited:
    """The same with the lives of each cluster numbered from 1."""
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
