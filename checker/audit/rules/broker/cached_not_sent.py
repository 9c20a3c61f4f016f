"""A broker caches a state of a partition that the controller did not send.

Why it matters
    Clients ask any broker who leads a partition, and who is in its ISR. A broker that caches a state nobody sent
    misdirects them.

How it is seen
    In the lines of brokers and controllers. A broker's line about a cached state names the epoch of the controller that
    sent it, leader, leader epoch, ISR, version, and the epoch of the controller that wrote the state. A controller's
    line of the same controller epoch about sending metadata for that leader epoch has the same values. The reverse is
    no fault: a state sent to a broker that died is never cached. A line of the controller may be missing, so the
    finding is suspicious.

What would make it certain
    A line of the same controller epoch with the same version, but another leader or ISR: a version is one state, so no
    missing line explains it, unless the topic was created again. Both ends print the version from 1.0 to 2.5. Where
    only other versions were sent, the line that sends this one may be missing.

Releases
    Where metadata is logged: at TRACE. Both sides print the version since 1.0.
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
    expected=lambda row: "what the controller sent for that leader epoch",
    got=lambda row: (
        f"leader {row['leader']}, ISR {ids(row['isr'])}, version {row['partition_epoch']}, written by the controller of"
        f" epoch {row['written_by_epoch']}"
    ),
    follows_from=CONTROLLERS,
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=TOPIC, look_for="the leader that the controller printed last"),
)
