"""A broker carries out a request differently from what it says.

Why it matters
    A request names the leader and the replicas of a partition. A broker that leads though another is named, or follows
    though it is named itself, breaks the promise that a leader epoch has one leader.

How it is seen
    The line in which a broker receives a request, and the one in which it begins to carry it out, have the same
    correlation id. The broker leads if and only if it is the leader that the request names, and it is among the
    replicas. Since 2.0 the line prints the leader that it follows, which is the one that the request names.

Releases
    Where requests are logged: at TRACE.
"""

from __future__ import annotations

from .....model.expr import both, field
from ...fields import gap, isr, kind, leader
from ...observe.broker.requests import itself, other_leader_named
from ...observe.broker.taken import received
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import illegal_unless
from ._remedies import CONTROLLER_ANEW
from ._words import ids, where

_RECEIVED_REPLICAS = field("received_replicas", isr.sort)
_leads = received(leader).eq(itself)


def _does(row: Row) -> str:
    if row["kind"] == "become-leader":
        return "lead"
    return f"follow {row['leader']}" if row["other_leader_named"] else "follow"


RULE = Rule(
    code="KR608",
    name="role-differs-from-request",
    former_names=("takes-other-role",),
    observation="requests_begun",
    kind="replica",
    compares=True,
    verdict=illegal_unless(
        both(kind.eq("become-leader").eq(_leads), itself.set().subset_of(_RECEIVED_REPLICAS), ~other_leader_named),
        in_doubt=gap,
    ),
    message=lambda row: (
        f"{where(row)} begins to {_does(row)}; the request names leader"
        f" {row['received_leader']} and replicas {ids(row['received_replicas'])}"
    ),
    expected=lambda row: "what the request says",
    got=lambda row: f"{row['kind']}, of {row['leader']}" if row["other_leader_named"] else row["kind"],
    remedy=CONTROLLER_ANEW,
)
