"""A broker has an impossible state of a partition: the leader is not in the ISR, or the ISR not within the replicas.

Why it matters
    Only members of the ISR have every committed record. A leader that is not a member may lack some, and a broker that
    is not a replica has no log at all.

How it is seen
    On the line itself with which a broker begins to lead, keeps its role with a newer state, or has written its ISR.
    The controller never writes such a state, not even while replicas are reassigned: new replicas are in the assignment
    first. A partition without a leader may keep its last ISR, or have an empty one (KIP-966).

Releases
    With KRaft, since 3.3.
"""

from __future__ import annotations

from .....model.expr import both
from .....model.views import LEADER_IN_ISR
from ...observe.broker.states import outside
from ...table.protocol import Row
from ..kraft._remedies import PARTITION_STATE
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import printed


def _got(row: Row) -> str:
    replicas = row.get("replicas")
    return printed(row) + ("" if replicas is None else f", replicas {sorted(replicas)}")


RULE = Rule(
    code="KR544",
    name="partition-state-unsound",
    observation="kraft_states",
    kind="replica",
    verdict=illegal_unless(both(LEADER_IN_ISR.condition, ~outside)),
    message=lambda row: (
        f"broker {row['broker']} has {row['topic']}-{row['partition']} at partition epoch {row['partition_epoch']} with"
        f" {_got(row)}"
    ),
    expected=lambda row: "a leader that is in the ISR, and an ISR within the replicas",
    got=_got,
    issues=("KIP-631",),
    follows_from=("KR504", "KR538"),
    remedy=PARTITION_STATE,
)
