"""An eligible leader replica, or the last known leader, is not among the partition's replicas.

Why it matters
    A member of the ELR may be elected when the ISR is empty. A broker that is no longer a replica has deleted its data,
    or will: if elected, it leads an empty log, and every replica truncates to it.

How it is seen
    In the state after each record. An election looks for members of the ELR among the replicas only, so this alone
    causes no loss, and the finding is suspicious. If the broker becomes a replica again while it is still listed, it
    may be elected with an empty log: that is illegal.

Releases
    4.0 and later, where eligible leader replicas are on. Seen in 4.1.0 after a reassignment that removed a member of
    the ELR; no issue is known.
"""

from __future__ import annotations

from .....model.expr import both, ite
from ...observe.compared import was
from ...sources.metadata.columns import created, elr, elr_on, last_known, replicas
from ..rule import Rule
from ..verdicts import HELD, SUSPICIOUS
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

_listed = elr.union(last_known)
_back_again = was(elr).minus(was(replicas)).intersects(elr.intersect(replicas))

RULE = Rule(
    code="KR522",
    name="elr-not-within-replicas",
    observation="metadata_partitions",
    applies=both(elr_on, ~created),
    verdict=ite(_back_again, broken_unless(~_back_again), ite(_listed.subset_of(replicas), HELD, SUSPICIOUS)),
    message=lambda row: f"eligible leader replicas of {where(row)} are not, or were not, among its replicas",
    expected=lambda row: f"ELR and last known leader within {ids(row['replicas'])}",
    got=lambda row: f"ELR {ids(row['elr'])}, last known {ids(row['last_known'])}",
    issues=("KIP-966",),
    remedy=REASSIGNMENT,
)
