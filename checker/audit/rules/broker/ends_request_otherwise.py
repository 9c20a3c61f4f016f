"""A broker finishes a request with a role, leader or leader epoch that the request does not give.

Why it matters
    A request names the leader of a partition. A broker that follows another one copies records that were never
    committed; one that finishes in a different role than it began contradicts itself about who leads.

How it is seen
    The line in which a broker receives a request and the lines in which it continues have the same controller and
    correlation id: it has completed the request, keeps its role because the leader is the same, or cannot follow
    because it does not consider the leader alive. These lines name the role, the leader, or both, as the request does.
    The line that refuses the request for its leader epoch prints that epoch.

Releases
    Where requests are logged: at TRACE. The leader is printed where a broker does not accept it, since 2.0 also where
    it has completed the request.
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import gap
from ...observe.broker.requests import other_epoch_named, other_leader_named, other_role_named
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import illegal_unless
from ._remedies import CONTROLLER_ANEW
from ._words import where


def _named(row: Row) -> str:
    if row["other_epoch_named"]:
        return f"leader epoch {row['leader_epoch']}"
    named = [row["kind"]] if row.get("kind") is not None else []
    return ", ".join([*named, *([f"leader {row['leader']}"] if row.get("leader") is not None else [])])


RULE = Rule(
    code="KR649",
    name="request-finished-differently",
    former_names=("ends-request-otherwise",),
    observation="requests_carried_out",
    kind="replica",
    compares=True,
    verdict=illegal_unless(both(~other_leader_named, ~other_role_named, ~other_epoch_named), in_doubt=gap),
    message=lambda row: (
        f"{where(row)} finishes a request with {_named(row)}; it names leader {row['received_leader']} of leader epoch"
        f" {row['received_leader_epoch']}"
    ),
    expected=lambda row: f"leader {row['received_leader']} of leader epoch {row['received_leader_epoch']}",
    got=_named,
    remedy=CONTROLLER_ANEW,
)
