"""A line prints a from-state in which the replica cannot be, after its line before.

Why it matters
    Each line fixes the state after it. If the next line of the same replica starts from another state, and no move
    that the log hides leads there, then the controller lost track of the replica, or lines are missing that must be
    there. Where the log has gaps the finding is unknown. A single line may be missing of any log, and nothing else
    tells of it: where one would explain the state, the finding is suspicious; the lines of a deletion follow each
    other, and count as one. It is illegal where it takes more, and nothing else shows that lines are missing.

    A replica of a partition that the same controller created had no state before its first line.

Releases
    0.8 to 3.9. Up to 1.0 a replica of a partition without leader and ISR becomes OnlineReplica without a line; at INFO
    (the default since 2.6) no replica move is logged at all, so there is little to contradict.
"""

from __future__ import annotations

from ._moves import impossible_state

RULE = impossible_state("replica", "KR103")
