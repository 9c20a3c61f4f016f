"""A leader adds a broker to its ISR that is not a replica of the partition.

Why it matters
    A member of the ISR may be elected leader. A broker that is not a replica has no instruction to keep the partition's
    log: records acknowledged since it joined may exist nowhere else.

How it is seen
    In the lines of one broker process: the request that it accepted in its leader epoch names the partition's replicas.
    A line that expands the ISR, or reports that a larger one is written, adds one of these. A request with other
    replicas may be missing, or one that the broker refused may name others, so the finding is suspicious. A member that
    is no longer a replica may stay in the ISR (KAFKA-9672): only new members are compared.

What would make it certain
    All lines of all controllers, at TRACE: since 1.0 they print the replicas in each request that they send. If no
    request about the partition names the new member, no missing line of the broker explains it.

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
    expected=lambda row: f"new members only from {ids(row['assigned'])}",
    got=lambda row: f"{ids(row['joined'])} joins",
    issues=("KAFKA-9672",),
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="an ISR within the partition's replicas",
    ),
)
