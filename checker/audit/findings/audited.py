"""All that an audit found in the logs of all clusters, before it is split by cluster and narrowed for a reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ....traces.timeline import TimelineRow
from ..history.histories import Histories
from .finding import Finding
from .moves import Move
from .scope import Scope
from .state import ClusterState
from .tally import Tally


@dataclass(frozen=True)
class Audited:
    """`findings` are in the order of cluster, life, controller epoch, place; `tallies` by cluster and rule, `scopes`
    and `states` by cluster.

    `repeated`: per file, where every event is there twice, how many lines are duplicates. `timeline` is None where it
    was not asked for.
    """

    histories: Histories
    findings: tuple[Finding, ...]
    tallies: Mapping[int, Mapping[str, Tally]]
    moves: tuple[Move, ...]
    repeated: Mapping[int, int]
    scopes: Mapping[int, Scope]
    states: Mapping[int, ClusterState]
    timeline: tuple[TimelineRow, ...] | None = None


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
        cluster: replace(state, conditions=tuple(replace(each, life=number[each.life]) for each in state.conditions))
        for cluster, state in found.states.items()
    }
    return replace(found, histories=histories, findings=findings, states=states, timeline=rows)
