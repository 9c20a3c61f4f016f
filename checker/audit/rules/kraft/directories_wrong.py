"""The directories of a partition's replicas do not match the replicas or their brokers.

Why it matters
    A failed directory takes the replicas that are assigned to it out of their ISRs. A replica that is assigned to
    another broker's directory, or to one that never existed, stays in the ISR when its disk fails.

How it is seen
    A partition with directories has as many as replicas. Each new directory of a replica is one that its broker
    registered at some time, or a placeholder (migrating, unassigned, lost). A snapshot does not show which directories
    a broker had and lost: where history begins with one, a directory that no broker has is suspicious. Nothing is
    reported for a partition without directories: below metadata.version 17 none has them.

Releases
    3.7 and later, from metadata.version 17 (3.7-IV2) on. Known: KAFKA-16297 (fixed in 3.7.1), KAFKA-17190 (3.8.1);
    KAFKA-16162 (brokers that registered no directories when the level was raised, 3.7.1).
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.metadata.columns import directory_count, perhaps_lost, replica_count, wrong_directories
from ..rule import Rule
from ..verdicts import SUSPICIOUS
from ._remedies import DIRECTORIES
from ._words import broken_unless, ids, where

_as_many = directory_count.eq(replica_count)

RULE = Rule(
    code="KR519",
    name="directories-do-not-match",
    former_names=("directories-unfit",),
    observation="metadata_partitions",
    releases=">=3.7",
    applies=directory_count.ne(0),
    verdict=ite(_as_many & perhaps_lost, SUSPICIOUS, broken_unless(_as_many & wrong_directories.is_empty())),
    message=lambda row: f"the directories of {where(row)} do not match its replicas",
    expected=lambda row: f"a directory of each of {ids(row['replicas'])}",
    got=lambda row: (
        f"{row['directory_count']} directories"
        if row["directory_count"] != row["replica_count"]
        else f"directories that its brokers never had: {ids(row['wrong_directories'])}"
    ),
    issues=("KIP-858", "KAFKA-16297", "KAFKA-17190", "KAFKA-16162"),
    remedy=DIRECTORIES,
)
