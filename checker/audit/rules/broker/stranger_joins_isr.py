"""A leader adds a broker to its ISR that is none of the partition's replicas.

Why it matters
    A member of the ISR may be elected leader. A broker that is none of the replicas is not told to keep the partition's
    log: what was acknowledged since it was counted in may be nowhere else.

How it is seen
    In all that one broker wrote, in one process: the request that it took in its leader epoch names the partition's
    replicas. A line with which the ISR expands, or tells that a larger one is written, adds one of these. A request
    with other replicas may be missing, or one that the broker refused may name others than it has, so it is suspicious.
    A member that is no replica any more may stay in the ISR (KAFKA-9672): only those that come are compared.

Releases
    Where requests are logged: at TRACE. Replicas are printed since 0.10.1.
"""

from __future__ import annotations

from ...fields import takes_shown
from ...observe.broker.isr import assigned, joined
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import ids, where

RULE = Rule(
    code="KR628",
    name="stranger-joins-isr",
    observation="isr_joined",
    kind="replica",
    compares=True,
    applies=takes_shown,
    verdict=suspicious_unless(joined.subset_of(assigned)),
    message=lambda row: (
        f"{where(row)} changes the ISR to {ids(row['isr'])}; the replicas are {ids(row['assigned'])} in leader epoch"
        f" {row['known_epoch']}"
    ),
    expected=lambda row: f"no other new member than one of {ids(row['assigned'])}",
    got=lambda row: f"{ids(row['joined'])} joins",
    issues=("KAFKA-9672",),
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="an ISR within the partition's replicas",
    ),
)
