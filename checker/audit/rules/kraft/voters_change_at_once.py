"""Two or more voters of the metadata quorum are added or removed at once.

Why it matters
    Majorities of two consecutive voter sets must overlap: with one change at a time they do. With two at once, each set
    may elect its own leader.

How it is seen
    In consecutive KRaftVoters records, by the ids that they name. A controller that comes back with an empty disk has a
    new directory id: it is removed and added again, in two records (automatically with
    controller.quorum.auto.join.enable, KIP-1186, since 4.2).

Releases
    3.9 and later, with kraft.version 1 (KIP-853).
"""

from __future__ import annotations

from ...sources.metadata.columns import changed
from ..rule import Rule
from ._remedies import QUORUM_STATE
from ._words import broken_unless, ids

RULE = Rule(
    code="KR521",
    name="voters-change-at-once",
    compares=True,
    observation="metadata_voters",
    kind="quorum",
    verdict=broken_unless(changed <= 1),
    message=lambda row: "the voters of the metadata quorum change by more than one",
    expected=lambda row: f"{ids(row['before_voters'])} with one voter more or less",
    got=lambda row: ids(row["voters"]),
    issues=("KIP-853", "KIP-1186"),
    remedy=QUORUM_STATE,
)
