"""The ISR names a broker that is not assigned to the partition.

Why it matters
    A broker that is no replica holds no log of the partition; counted as in sync, it makes records look safer than they are.

Releases
    All. While a partition is being reassigned this is legal (KAFKA-9672): the request already carries the new replicas
    while the ISR still holds those that leave. The log does not always show a reassignment, so the finding is
    suspicious at most.
"""

from __future__ import annotations

from ....model.views import ISR_WITHIN_REPLICAS
from ..rule import Rule, illegal_unless
from ..vocabulary import true
from ._words import ids, where

RULE = Rule(
    code="KR203",
    name="isr-outside-assignment",
    track="views",
    verdict=illegal_unless(ISR_WITHIN_REPLICAS.condition, in_doubt=true),
    message=lambda row: f"the ISR of {where(row)} has a broker that is not among its replicas",
    expected=lambda row: f"an ISR within {ids(row['replicas'])}, unless the partition is being reassigned",
    got=lambda row: f"ISR {ids(row['isr'])}",
    issues=("KAFKA-9672",),
)
