"""A replica made a move that the controller's own table does not allow.

Why it matters
    The table (specs/machines/replica.toml) is what keeps a replica from leading before it exists, or from being
    deleted while it serves. Kafka checks it before every move and logs a refusal instead, so a move that was made
    against it is a broken controller, a changed build, or a log that was tampered with.

Releases
    0.8 to 3.9. KAFKA-8237 changes one row at 2.3.0; the verdict is definite only if it is the same in every release
    that the log may come from.
"""

from __future__ import annotations

from ..rule import Rule, allowed_in
from ..tracks import made
from ..vocabulary import from_state, releases, to_state, valid_in
from ._words import moved, not_allowed, wanted_sources

_MACHINE = "replica"

RULE = Rule(
    code="KR101",
    name="illegal-replica-transition",
    track="replica_moves",
    kind="replica",
    releases="0.8.0-3.9",
    applies=made,
    verdict=allowed_in(valid_in(_MACHINE)[from_state(_MACHINE)][to_state(_MACHINE)], releases),
    message=lambda row: f"{moved(_MACHINE, row)}, which {not_allowed(row)}",
    expected=lambda row: wanted_sources(_MACHINE, row),
    got=lambda row: f"from {row['from_state']}",
    issues=("KAFKA-8237",),
)
