"""The replicas that a reassignment adds or removes are not among the partition's replicas, or are both.

Why it matters
    A reassignment is carried out by these lists: added replicas copy the data, removed ones delete it. A replica in
    both lists, or in a list but not assigned, means data that is lost or never copied.

How it is seen
    In the state after each record. A broker in both lists is suspicious where a reassignment was already in progress: a
    reassignment that replaces it keeps an old list where its own is empty, in all releases (seen in 3.5.2 and 3.9.1; no
    issue is known). Up to 3.7 such a reassignment never ends.

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import ite
from ...observe.compared import was
from ...sources.metadata.columns import adding, created, removing, replicas
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import SUSPICIOUS
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

_within = adding.union(removing).subset_of(replicas)
_apart = ~adding.intersects(removing)
_replaced = ~created & ~was(adding).union(was(removing)).is_empty()


def _message(row: Row) -> str:
    both = {*row["adding"]} & {*row["removing"]}
    does = (
        f"both adds and removes {', '.join(map(str, sorted(both)))}"
        if both
        else "adds or removes brokers that are not replicas"
    )
    return f"the reassignment of {where(row)} {does}"


RULE = Rule(
    code="KR514",
    name="reassignment-unsound",
    observation="metadata_partitions",
    verdict=ite(_within & ~_apart & _replaced, SUSPICIOUS, broken_unless(_within & _apart)),
    message=_message,
    expected=lambda row: f"replicas to add and to remove from {ids(row['replicas'])}, nobody in both",
    got=lambda row: f"adding {ids(row['adding'])}, removing {ids(row['removing'])}",
    issues=("KIP-455",),
    remedy=REASSIGNMENT,
)
