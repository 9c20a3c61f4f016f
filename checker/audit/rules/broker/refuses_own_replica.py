"""A broker refuses a partition because it hosts no replica, though it prints itself among the replicas.

Why it matters
    A broker that does not accept its own replica neither leads nor fetches it: the partition has one copy fewer than it
    seems to have.

How it is seen
    On the line itself with which the broker refuses: it prints the replicas.

Releases
    ZooKeeper mode since 0.8.1.
"""

from __future__ import annotations

from ...fields import broker, replicas
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import ids, where

RULE = Rule(
    code="KR648",
    name="refuses-own-replica",
    observation="not_assigned_here",
    kind="replica",
    verdict=illegal_unless(~replicas.contains(broker)),
    message=lambda row: f"{where(row)} is refused as not a replica, though the replicas are {ids(row['replicas'])}",
    expected=lambda row: f"replicas without broker {row['broker']}",
    got=lambda row: f"replicas {ids(row['replicas'])}",
    remedy=until_copies_agree("Restart the broker: it then learns its partitions again."),
)
