"""A record that assigns replicas to directories removes others from the eligible leader replicas (ELR).

Why it matters
    A member of the ELR has every record up to the high watermark. Once it is forgotten and the ISR is empty, the
    partition stays offline though a complete replica exists, or its last known leader leads it uncleanly.

How it is seen
    The record changes the directories of a partition but not its replicas, and drops members of the ELR that do not
    enter the ISR, though the ISR has fewer than min.insync.replicas members. The other events that empty the ELR change
    no directory: an ISR that is full again, a new configuration, a broker that stopped uncleanly. The consequences show
    in the log, and there may be none, so the finding is suspicious.

What would make it certain
    For the cause, a known release of the active controller (RegisterController records, "Kafka version: ..." in its
    server.log): up to 4.2 this is a known fault, from 4.3 on it has no known reason. For the harm, a later record that
    leaves the partition without a leader while a dropped member is active, or elects one uncleanly (KR551).

Releases
    4.0 and later, where the feature eligible.leader.replicas.version is on, and brokers have several log directories.
    Up to 4.2 the controller does this by mistake: ReplicationControlManager.handleAssignReplicasToDirs does not inform
    PartitionChangeBuilder that eligible leader replicas are on (pull request 20716, no issue is known). A controller of
    4.3 or later does not: there the change has no known reason, and `isrproof validate kraft` rejects it.
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
    message=lambda row: f"{where(row)} loses eligible leader replicas when replicas are assigned to directories",
    expected=lambda row: f"ELR {ids(row['before_elr'])}, while the ISR has fewer than {row['min_isr']} members",
    got=lambda row: f"ELR {ids(row['elr'])}, ISR {ids(row['isr'])}",
    issues=("KIP-966", "KIP-858"),
    bug="ELR emptied by directories",
    remedy=RECORDS_MAY_BE_LOST,
)
