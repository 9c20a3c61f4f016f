"""The directories of a partition's replicas do not fit the replicas or the brokers that have them.

Why it matters
    A failed directory takes those replicas out of their ISRs that are assigned to it. A replica that is assigned to a
    directory of another broker, or to none that ever was, stays in the ISR when its disk fails.

How it is seen
    A partition that has directories has as many as replicas; each that a replica comes to is one that its broker
    registered at some time, or stands for none (migrating, unassigned, lost). A snapshot does not tell which
    directories a broker had and lost: where history begins with one, a directory of nobody is suspicious. Of a
    partition without directories nothing is said: below metadata.version 17 none has them.

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
    name="directories-unfit",
    observation="metadata_partitions",
    releases=">=3.7",
    applies=directory_count.ne(0),
    verdict=ite(_as_many & perhaps_lost, SUSPICIOUS, broken_unless(_as_many & wrong_directories.is_empty())),
    message=lambda row: f"the directories of {where(row)} do not fit its replicas",
    expected=lambda row: f"a directory of each of {ids(row['replicas'])}",
    got=lambda row: (
        f"{row['directory_count']} directories"
        if row["directory_count"] != row["replica_count"]
        else f"directories that its brokers never had: {ids(row['wrong_directories'])}"
    ),
    issues=("KIP-858", "KAFKA-16297", "KAFKA-17190", "KAFKA-16162"),
    remedy=DIRECTORIES,
)
