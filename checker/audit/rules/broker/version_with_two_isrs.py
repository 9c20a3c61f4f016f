"""A leader writes an ISR in a version that another line prints with a different ISR.

Why it matters
    A version of a partition's state is one state. If it has two ISRs, the next election may choose a leader from the
    wrong one, without records that were committed.

How it is seen
    In the lines of brokers and controllers: a leader prints the version in which its ISR is written. Where a controller
    prints the same version, because it reads and sends it again, or a leader begins in it, the ISR is the same. Clocks
    are not compared. Lines of a deletion may be missing, so the finding is suspicious.

What would make it certain
    Proof that both lines are of one topic: when it is created again, versions restart, and the lines of that may be
    missing. Lines about a written ISR print no topic id. Complete files controller.log of all controllers prove it:
    they have "New topics: ..." and the deletion of each topic at INFO.

Releases
    Since 2.4, up to 2.3 at TRACE.
"""

from __future__ import annotations

from ...fields import isr
from ...observe.broker.across import sent_isr
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._controllers import CONTROLLERS
from ._words import ids, where

RULE = Rule(
    code="KR637",
    name="version-with-two-isrs",
    observation="isr_in_version",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(isr.eq(sent_isr)),
    message=lambda row: (
        f"{where(row)} wrote ISR {ids(row['isr'])} in version {row['partition_epoch']}, which another line prints with"
        f" ISR {ids(row['sent_isr'])}"
    ),
    expected=lambda row: f"ISR {ids(row['sent_isr'])}",
    got=lambda row: f"ISR {ids(row['isr'])}",
    follows_from=CONTROLLERS,
    remedy=Remedy(
        workaround="Read the state from ZooKeeper, and compare it with what the leader printed last.",
        verify=STATE,
        look_for="the ISR that the leader printed last",
    ),
)
