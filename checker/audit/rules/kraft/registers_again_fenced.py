"""A broker that registers again in one process is fenced by its registration, though it was not fenced before.

Why it matters
    Clients are not sent to a fenced broker. The controller takes it from no ISR as it registers: its partitions have a
    leader that nobody knows of, until its next heartbeat.

How it is seen
    A registration has the incarnation of the broker's registration before it, and is fenced; that one was not. A broker
    registers again if metadata.version is raised beyond 3.7-IV1, so that the controller learns its log directories. It
    is suspicious, because nothing is lost by it.

What would make it certain
    Nothing has to: the record says that the broker is fenced, and which process registers.

Releases
    3.7 and later, where brokers register again. Known: KAFKA-16757, in 3.7.0. Since 3.7.1 the controller keeps
    whether the broker is fenced (ClusterControlManager.registerBroker).
"""

from __future__ import annotations

from .....model.expr import both, ite
from ...observe.compared import was
from ...sources.metadata.columns import fenced, registers, same_incarnation
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS
from ._remedies import REGISTRATION

RULE = Rule(
    code="KR558",
    name="registers-again-fenced",
    compares=True,
    observation="metadata_registrations",
    applies=both(registers, same_incarnation, ~was(fenced)),
    kind="broker",
    releases=">=3.7",
    verdict=ite(fenced, SUSPICIOUS, HELD),
    message=lambda row: f"broker {row['broker']} registers again in one process, and is fenced by that",
    expected=lambda row: "a registration that is not fenced, as the one before",
    got=lambda row: f"a fenced registration at offset {row['offset']}",
    issues=("KAFKA-16757",),
    remedy=REGISTRATION,
)
