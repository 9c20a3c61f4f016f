"""A partition made a move that the controller's own table does not allow.

Why it matters
    The table (specs/machines/partition.toml) is what keeps a partition from being elected before it exists, or from
    being forgotten while it serves. Kafka checks it before every move and logs a refusal instead, so a move that was
    made against it is a broken controller, a changed build, or a log that was tampered with.

Releases
    0.8 to 3.9. The table is the same in all of them.
"""

from __future__ import annotations

from ._moves import illegal_transition

RULE = illegal_transition("partition", "KR102")
