"""A broker received a state of a partition that the controller did not send.

Why it matters
    Requests go from the controller to a broker over one connection. If the two ends differ, one of the two is not who
    it claims to be, or the files are from two clusters.

How it is seen
    In the lines of brokers and controllers. A broker's line about a received LeaderAndIsr request names controller
    epoch, leader, leader epoch, ISR, version, replicas, and the epoch of the controller that wrote the state. A
    controller's line of the same controller epoch about sending a request for that leader epoch has the same values.
    The reverse is no fault: a request sent to a broker that died is never received. A line of the controller may be
    missing, so the finding is suspicious.

What would make it certain
    A line of the same controller epoch with the same version, but another leader or ISR: a version is one state, so no
    missing line explains it, unless the topic was created again. Both ends print the version since 1.0. Where only
    other versions were sent, the line that sends this one may be missing.

Releases
    Where requests are logged: at TRACE. Both sides print version and replicas since 1.0.
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import isr
from ...observe.broker.across import same_sent, sent_isr, sent_replicas
from ..remedy import MOVE_CONTROLLER, STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._words import ids, where

RULE = Rule(
    code="KR635",
    name="received-not-sent",
    observation="requests_received",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(both(same_sent, isr.eq(sent_isr), sent_replicas)),
    message=lambda row: (
        f"{where(row)} received leader {row['leader']}, ISR {ids(row['isr'])} and replicas {ids(row['replicas'])} in"
        f" leader epoch {row['leader_epoch']}, which the controller of epoch {row['controller_epoch']} did not send"
    ),
    expected=lambda row: "what the controller sent for that leader epoch",
    got=lambda row: (
        f"leader {row['leader']}, ISR {ids(row['isr'])}, version {row['partition_epoch']}, replicas"
        f" {ids(row['replicas'])}, written by the controller of epoch {row['written_by_epoch']}"
    ),
    follows_from=CONTROLLERS,
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=STATE, look_for="the state that the broker printed"),
)
