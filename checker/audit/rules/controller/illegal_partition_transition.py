"""A partition made a move that the controller's own table does not allow.

Why it matters
    The table (specs/machines/partition.toml) is what keeps a partition from being elected before it exists, or from
    being forgotten while it serves. Kafka checks it before every move and logs a refusal instead, so a move that was
    made against it is a broken controller, a changed build, or a log that was tampered with.

Releases
    0.8 to 3.9. Since 0.8.1 the table is the same in all of them. Of 0.8.0, lines of a partition that goes online or
    offline show no from-state: what they print for it need not be true.
"""

from __future__ import annotations

from ._moves import illegal_transition

RULE = illegal_transition("partition", "KR102")
