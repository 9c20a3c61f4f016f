"""A broker leads in a leader epoch that a controller gave to another leader, or leads with another ISR.

Why it matters
    The controller decides who leads. A broker that leads on its own accepts records that the elected leader does not
    have: one of the two copies is truncated later.

How it is seen
    In the lines of brokers and controllers: the line with which a partition begins to lead names the leader epoch.
    Lines of a controller about the same leader epoch name that broker as the leader, and one of them prints the ISR
    with which it begins. (A broker that restarts and leads in the same leader epoch has the ISR that it wrote since.)
    Clocks are not compared. A line of the controller may be missing, so the finding is suspicious.

What would make it certain
    Proof that both lines are of one topic: when it is created again, leader epochs restart, and the lines of that may
    be missing. Leaders print the topic id since 3.3, controllers in ZooKeeper mode never; if the elected leader prints
    the same leader epoch and topic id, KR631 is illegal. For another ISR of the right leader, a controller's line of
    the very version that the leader prints, since 3.3.

Releases
    Since 0.11. The ISR is printed since 2.6. Nothing is reported for a leader epoch without a line of a controller.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import isr, leader
from ...lines import LEADS, is_line
from ...observe.broker.across import first_isr, sent_isr, sent_leader
from ...table.protocol import Row
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._remedies import LEADERS_ANEW
from ._words import ids, where


def _message(row: Row) -> str:
    leads = f"{where(row)} leads in leader epoch {row['leader_epoch']}"
    if row["leader"] != row["sent_leader"]:
        return f"{leads}, in which a controller made {row['sent_leader']} leader"
    return f"{leads} with ISR {ids(row['isr'])}; the controller's ISR is {ids(row['sent_isr'])}"


RULE = Rule(
    code="KR632",
    name="leads-unelected",
    observation="leaders_taken",
    kind="replica",
    compares=True,
    applies=is_line(LEADS),
    verdict=suspicious_unless(leader.eq(sent_leader) & either(isr.eq(sent_isr), isr.eq(first_isr))),
    message=_message,
    expected=lambda row: f"leader {row['sent_leader']}, ISR {ids(row['sent_isr'])}",
    got=lambda row: f"leader {row['broker']}, ISR {ids(row['isr'])}",
    releases=">=0.11",
    follows_from=CONTROLLERS,
    remedy=Remedy(
        workaround=LEADERS_ANEW,
        verify=STATE,
        look_for="the leader and the leader epoch that the controller printed last",
    ),
)
