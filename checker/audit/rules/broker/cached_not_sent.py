"""A broker caches another state of a partition than the controller sent.

Why it matters
    Clients ask any broker who leads a partition, and who is in its ISR. A broker that caches what nobody sent sends
    them astray.

How it is seen
    In what brokers and controllers wrote: a line in which a broker caches a partition's state names the epoch of the
    controller that sent it, leader, leader epoch, ISR, version, and the epoch of the controller that wrote the state. A
    line of the same controller epoch, in which the controller sends metadata about that leader epoch, names the same.
    The reverse is no fault: what is sent to a broker that died is never cached. A line of the controller's may be
    missing, so it is suspicious.

Releases
    Where metadata is logged: at TRACE. The version is printed on both sides since 1.0.
"""

from __future__ import annotations

from ...observe.broker.metadata import same_sent
from ..remedy import MOVE_CONTROLLER, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._words import ids, where

RULE = Rule(
    code="KR646",
    name="cached-not-sent",
    observation="metadata_taken",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(same_sent),
    message=lambda row: (
        f"{where(row)} caches leader {row['leader']} and ISR {ids(row['isr'])} of leader epoch {row['leader_epoch']},"
        f" which the controller of epoch {row['controller_epoch']} did not send"
    ),
    expected=lambda row: "what the controller sent of that leader epoch",
    got=lambda row: (
        f"leader {row['leader']}, ISR {ids(row['isr'])}, version {row['partition_epoch']}, written by the controller of"
        f" epoch {row['written_by_epoch']}"
    ),
    follows_from=CONTROLLERS,
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=TOPIC, look_for="the leader that the controller printed last"),
)
