"""A record that assigns replicas to directories takes others out of the eligible leader replicas (ELR).

Why it matters
    A member of the ELR has every record up to the high watermark. Once it is forgotten and the ISR is empty, the
    partition stays offline though a complete replica is there, or is led by the last known leader, uncleanly.

How it is seen
    The record changes the directories of a partition and not its replicas, and leaves out members of the ELR that do
    not enter the ISR, though the ISR has less than min.insync.replicas members. What else empties the ELR changes no
    directory: an ISR that is full again, a new configuration, a broker that stopped uncleanly. What comes of it the log
    shows, and it may be nothing: it is suspicious.

Releases
    4.0 and later, where the feature eligible.leader.replicas.version is on, and brokers have several log directories.
    Up to 4.2 the controller does so by mistake: ReplicationControlManager.handleAssignReplicasToDirs does not tell
    PartitionChangeBuilder that eligible leader replicas are on (pull request 20716, no issue is known). A controller of
    4.3 or later does not: there it has no known reason, and `isrproof validate kraft` rejects it.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...observe.compared import was
from ...sources.metadata.columns import created, elr, elr_on, isr, isr_size, min_isr, relocated
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._remedies import RECORDS_MAY_BE_LOST
from ._words import ids, where

RULE = Rule(
    code="KR557",
    name="elr-dropped-by-directories",
    observation="metadata_partitions",
    applies=both(elr_on, ~created, relocated, ~was(elr).is_empty()),
    verdict=suspicious_unless(either(isr_size >= min_isr, was(elr).subset_of(elr.union(isr)))),
    message=lambda row: f"{where(row)} loses eligible leader replicas as replicas are assigned to directories",
    expected=lambda row: f"ELR {ids(row['before_elr'])}, while the ISR has less than {row['min_isr']} members",
    got=lambda row: f"ELR {ids(row['elr'])}, ISR {ids(row['isr'])}",
    issues=("KIP-966", "KIP-858"),
    bug="ELR emptied by directories",
    remedy=RECORDS_MAY_BE_LOST,
)
