"""A broker does something else with a request than the request says.

Why it matters
    A request names the leader and the replicas of a partition. A broker that leads though another is named, or follows
    though it is named itself, breaks the promise that a leader epoch has one leader.

How it is seen
    The line in which a broker receives a request, and the one in which it begins to carry it out, have the same
    correlation id. It leads if and only if it is the leader that the request names, and it is among the replicas.

Releases
    Where requests are logged: at TRACE.
"""

from __future__ import annotations

from .....model.expr import field
from ...fields import gap, isr, kind, leader
from ...observe.broker.requests import itself
from ...observe.broker.taken import received
from ..remedy import KEEP_LOGS, MOVE_CONTROLLER, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where

_RECEIVED_REPLICAS = field("received_replicas", isr.sort)
_leads = received(leader).eq(itself)

RULE = Rule(
    code="KR608",
    name="takes-other-role",
    observation="requests_begun",
    kind="replica",
    compares=True,
    verdict=illegal_unless(
        kind.eq("become-leader").eq(_leads) & itself.set().subset_of(_RECEIVED_REPLICAS), in_doubt=gap
    ),
    message=lambda row: (
        f"{where(row)} begins to {'lead' if row['kind'] == 'become-leader' else 'follow'}; the request names leader"
        f" {row['received_leader']} and replicas {ids(row['received_replicas'])}"
    ),
    expected=lambda row: "what the request says",
    got=lambda row: row["kind"],
    remedy=Remedy(workaround=f"{KEEP_LOGS} {MOVE_CONTROLLER}", verify=TOPIC, look_for="the leader that the broker has"),
)
