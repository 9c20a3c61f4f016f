"""A line prints a from-state that the replica cannot be in after its previous line.

Why it matters
    Each line fixes the state after it. If the next line of the same replica starts from another state, and no move that
    the log hides leads there, then the controller lost track of the replica, or lines that must be there are missing.
    Where the log has gaps, the finding is unknown. Any log may lack a single line, and nothing else would show it:
    where one line would explain the state, the finding is suspicious. The lines of one deletion follow each other, and
    count as one. The finding is illegal where it takes more lines, and nothing else shows that lines are missing.

    A replica of a partition that the same controller created had no state before its first line.

Releases
    0.8 to 3.9. Up to 1.0 a replica of a partition without leader and ISR becomes OnlineReplica without a line; at INFO
    (the default since 2.6) no replica move is logged at all, so there is little to contradict.
"""

from __future__ import annotations

from ._moves import impossible_state

RULE = impossible_state("replica", "KR103")
