"""A partition gets a replica on a broker whose log directories are all cordoned.

Why it matters
    Directories are cordoned before a broker, or a disk, is taken away: a replica placed there has to be moved again, or
    is lost with the disk.

How it is seen
    The record gives the partition a new replica. The last registration of that broker, with its changes, has
    directories, and marks each as cordoned. A broker that has registered again is not known to have any until its first
    heartbeat says so: nothing is reported until then.

Releases
    4.3 and later, from metadata.version 30 (4.3-IV0) on (KIP-1066). Known: KAFKA-20832, in 4.3, where only the
    controller's own choice of replicas respects it, and not an assignment by hand. From 4.4 on such an assignment is
    refused (ReplicationControlManager.validateManualPartitionAssignment).
"""

from __future__ import annotations

from ...sources.metadata.columns import cordoned
from ..rule import Rule
from ._remedies import REASSIGNMENT
from ._words import broken_unless, ids, where

RULE = Rule(
    code="KR529",
    name="placed-where-cordoned",
    observation="metadata_partitions",
    releases=">=4.3",
    verdict=broken_unless(cordoned.is_empty()),
    message=lambda row: f"{where(row)} gets a replica on broker {ids(row['cordoned'])}, whose directories are cordoned",
    expected=lambda row: "new replicas on brokers with a directory that is not cordoned",
    got=lambda row: f"replicas {ids(row['replicas'])}; all directories cordoned: {ids(row['cordoned'])}",
    issues=("KIP-1066", "KAFKA-20832"),
    bug="KAFKA-20832",
    remedy=REASSIGNMENT,
)
