"""In the metadata log a partition's leader is not in its ISR, or the ISR is not within the replicas, or is empty.

Why it matters
    The ISR is the set of replicas that hold every committed record. A leader outside it serves a log that may lack
    some. A member that is not a replica holds nothing at all.

How it is seen
    In the state after each record. An empty ISR is legal where eligible leader replicas are on (KIP-966); without them
    the last member of the ISR stays in it. An ISR that became empty while they were on stays empty after they are
    turned off, until a leader is elected. No broker is twice in the ISR, the replicas or the ELR.

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import both, either
from .....model.views import ISR_NOT_EMPTY, ISR_WITHIN_REPLICAS, LEADER_IN_ISR
from ...sources.metadata.columns import elr_on, repeated, was_empty
from ..rule import Rule
from ._remedies import PARTITION_STATE
from ._words import broken_unless, ids, where

_may_be_empty = either(elr_on, was_empty)
_sound = both(LEADER_IN_ISR.condition, ISR_WITHIN_REPLICAS.condition, either(_may_be_empty, ISR_NOT_EMPTY.condition))

RULE = Rule(
    code="KR505",
    name="isr-without-leader-or-replicas",
    observation="metadata_partitions",
    verdict=broken_unless(_sound & ~repeated),
    message=lambda row: f"the ISR of {where(row)} does not match its leader or its replicas",
    expected=lambda row: f"leader {row['leader']} in the ISR, the ISR within {ids(row['replicas'])}, nobody twice",
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}, replicas {ids(row['replicas'])}",
    issues=("KIP-966",),
    remedy=PARTITION_STATE,
)
