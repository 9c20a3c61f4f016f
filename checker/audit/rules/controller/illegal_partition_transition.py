"""A partition made a move that the controller's own table does not allow.

Why it matters
    The table (specs/machines/partition.toml) keeps a partition from being elected before it exists, or from being
    forgotten while it is in use. Kafka checks it before every move and logs a refusal instead, so a move against it
    means a broken controller, a modified build, or a tampered log.

Releases
    0.8 to 3.9. Since 0.8.1 the table is the same in all of them. In 0.8.0, lines of a partition that goes online or
    offline need not print its true from-state.
"""

from __future__ import annotations

from ._moves import illegal_transition

RULE = illegal_transition("partition", "KR102")
