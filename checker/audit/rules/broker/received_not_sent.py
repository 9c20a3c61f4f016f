"""A broker received another state of a partition than the controller sent.

Why it matters
    Requests go from the controller to a broker over one connection. If what comes out is not what went in, one of the
    two is not who it says it is, or the files are of two clusters.

How it is seen
    In what brokers and controllers wrote: a line in which a broker receives a LeaderAndIsr request names controller
    epoch, leader, leader epoch, ISR, version, replicas, and the epoch of the controller that wrote the state. A line of
    the same controller epoch, in which the controller sends a request about that leader epoch, names the same. The
    reverse is no fault: what is sent to a broker that died is never received. A line of the controller's may be
    missing, so it is suspicious.

Releases
    Where requests are logged: at TRACE. Version and replicas are printed on both sides since 1.0.
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
        f"{where(row)} received leader {row['leader']}, ISR {ids(row['isr'])} and replicas {ids(row['replicas'])} of"
        f" leader epoch {row['leader_epoch']}, which the controller of epoch {row['controller_epoch']} did not send"
    ),
    expected=lambda row: "what the controller sent of that leader epoch",
    got=lambda row: (
        f"leader {row['leader']}, ISR {ids(row['isr'])}, version {row['partition_epoch']}, replicas"
        f" {ids(row['replicas'])}, written by the controller of epoch {row['written_by_epoch']}"
    ),
    follows_from=CONTROLLERS,
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=STATE, look_for="the state that the broker printed"),
)
