"""A line prints a from-state in which the partition cannot be, after its line before.

Why it matters
    Each line fixes the state after it. If the next line of the same partition starts from another state, and no move
    that the log hides leads there, then the controller lost track of the partition, or a line is missing that must be
    there. The second is possible only where the log has gaps: there the finding is unknown, not illegal.

Releases
    0.8 to 3.9. At INFO (the default since 2.6) moves to OfflinePartition and NonExistentPartition are not logged, so
    they are counted as hidden steps.
"""

from __future__ import annotations

from ..rule import Rule
from ..vocabulary import ANYTHING, before
from ._words import continued, moved, possible_states

_MACHINE = "partition"

RULE = Rule(
    code="KR104",
    name="impossible-partition-state",
    track="partition_moves",
    kind="partition",
    releases="0.8.0-3.9",
    applies=before(_MACHINE).ne(ANYTHING),
    verdict=continued(_MACHINE),
    message=lambda row: f"{moved(_MACHINE, row)}, but it was {row['before']} before",
    expected=lambda row: possible_states(_MACHINE, row),
    got=lambda row: f"from {row['from_state']}",
)
