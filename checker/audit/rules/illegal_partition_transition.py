"""A partition made a move that the controller's own table does not allow.

Why it matters
    The table (specs/machines/partition.toml) is what keeps a partition from being elected before it exists, or from
    being forgotten while it serves. Kafka checks it before every move and logs a refusal instead, so a move that was
    made against it is a broken controller, a changed build, or a log that was tampered with.

Releases
    0.8 to 3.9. The table is the same in all of them.
"""

from __future__ import annotations

from ..rule import Rule, allowed_in
from ..tracks import made
from ..vocabulary import from_state, releases, to_state, valid_in
from ._words import moved, not_allowed, wanted_sources

_MACHINE = "partition"

RULE = Rule(
    code="KR102",
    name="illegal-partition-transition",
    track="partition_moves",
    kind="partition",
    releases="0.8.0-3.9",
    applies=made,
    verdict=allowed_in(valid_in(_MACHINE)[from_state(_MACHINE)][to_state(_MACHINE)], releases),
    message=lambda row: f"{moved(_MACHINE, row)}, which {not_allowed(row)}",
    expected=lambda row: wanted_sources(_MACHINE, row),
    got=lambda row: f"from {row['from_state']}",
)
