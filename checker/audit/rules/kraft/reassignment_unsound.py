"""The replicas that a reassignment adds or removes are not among the partition's replicas, or are both.

Why it matters
    A reassignment is carried out by these lists: who is added is copied to, who is removed deletes its data. A replica
    that is in both, or in neither and yet listed, is data that is lost or never copied.

How it is seen
    In the state after each record.

Releases
    All with KRaft.
"""

from __future__ import annotations

from ...observe.kraft.columns import adding, removing, replicas
from ..rule import Rule
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

RULE = Rule(
    code="KR514",
    name="reassignment-unsound",
    observation="metadata_partitions",
    verdict=broken_unless(adding.union(removing).subset_of(replicas) & ~adding.intersects(removing)),
    message=lambda row: f"the reassignment of {where(row)} adds or removes what is not there",
    expected=lambda row: f"replicas to add and to remove, of {ids(row['replicas'])}, nobody in both",
    got=lambda row: f"adding {ids(row['adding'])}, removing {ids(row['removing'])}",
    issues=("KIP-455",),
    remedy=REASSIGNMENT,
)
