"""An active leader loses its partition and its place in the ISR, with no record about the broker.

Why it matters
    The controller does this to a broker that it fences, and records both together. Where that record is missing, the
    broker counts as alive: it is elected, and added to an ISR, while it is not there.

How it is seen
    A PartitionChange record names another leader, or none, and an ISR without the previous leader, which stays a
    replica, is registered, and is neither fenced nor in controlled shutdown. The next record that changes no partition,
    in the same batch or the next, is about another broker, or about none. The finding is suspicious: a replica in a
    directory that its broker lost is taken from the broker without a record about it; such directories are known from
    registrations, and from replicas that are assigned to the reserved directory LOST.

What would make it certain
    A committed record at a metadata.version below 17 (3.7-IV2): replicas have no directories there, so none can be
    lost. From 17 on, the controllers' request log (kafka.request.logger at DEBUG): a broker that assigns a replica to a
    lost directory (AssignReplicasToDirs) loses the partition without a record about itself.

Releases
    Since metadata.version 7 (3.3-IV3): below it no record says that a broker is in controlled shutdown, which takes its
    partitions from it. ReplicationControlManager's handleBrokerFenced, handleBrokerUnregistered,
    handleBrokerInControlledShutdown and handleDirectoriesOffline write changes of partitions and then a record about
    the broker; alterPartition refuses an ISR without its leader.
"""

from __future__ import annotations

from .....specs.metadata.levels import SHUTDOWN_TOLD
from ...sources.metadata.columns import level
from ..rule import Rule
from ..verdicts import SUSPICIOUS
from ._remedies import REGISTRATION
from ._words import ids, where

RULE = Rule(
    code="KR554",
    name="active-leader-deposed",
    observation="metadata_deposed_leaders",
    kind="broker",
    compares=True,
    applies=level >= SHUTDOWN_TOLD,
    verdict=SUSPICIOUS,
    message=lambda row: f"broker {row['broker']} is active but loses {where(row)}, and no record is about the broker",
    expected=lambda row: (
        f"a record that fences, unregisters or changes broker {row['broker']}, or the broker in the ISR"
    ),
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])} of replicas {ids(row['replicas'])}",
    issues=("KIP-631",),
    remedy=REGISTRATION,
)
