"""A replica made a move that the controller's own table does not allow.

Why it matters
    The table (specs/machines/replica.toml) keeps a replica from leading before it exists, or from being deleted while
    it is in use. Kafka checks it before every move and logs a refusal instead, so a move against it means a broken
    controller, a modified build, or a tampered log.

Releases
    0.8 to 3.9. KAFKA-8237 changes one row at 2.3.0; the verdict is definite only if the row is the same in every
    release that the log may come from.
"""

from __future__ import annotations

from ._moves import illegal_transition

RULE = illegal_transition("replica", "KR101", issues=("KAFKA-8237",))
