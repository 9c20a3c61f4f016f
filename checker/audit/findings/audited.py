"""All that an audit found in the logs of all clusters, before it is split by cluster and narrowed for a reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....traces.timeline import TimelineRow
from ..history.histories import Histories
from .brokers import BrokerTimeline
from .finding import Finding
from .moves import Move
from .scope import Scope
from .state import ClusterState
from .tally import Tally


@dataclass(frozen=True)
class Audited:
    """`findings` are in the order of cluster, life, controller epoch, place; `tallies` by cluster and rule, `scopes`
    and `states` by cluster.

    `repeated`: per file, where every event is there twice, how many lines are duplicates. `timeline` is None, and
    `brokers` is empty, where a timeline was not asked for.
    """

    histories: Histories
    findings: tuple[Finding, ...]
    tallies: Mapping[int, Mapping[str, Tally]]
    moves: tuple[Move, ...]
    repeated: Mapping[int, int]
    scopes: Mapping[int, Scope]
    states: Mapping[int, ClusterState]
    timeline: tuple[TimelineRow, ...] | None = None
    brokers: Mapping[int, BrokerTimeline] = field(default_factory=dict)
