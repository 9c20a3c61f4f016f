"""A line prints a from-state in which the partition cannot be, after its line before.

Why it matters
    Each line fixes the state after it. If the next line of the same partition starts from another state, and no move
    that the log hides leads there, then the controller lost track of the partition, or lines are missing that must be
    there. Where the log has gaps the finding is unknown. A single line may be missing of any log, and nothing else
    tells of it: where one would explain the state, the finding is suspicious; the lines of a deletion follow each
    other, and count as one. It is illegal where it takes more, and nothing else shows that lines are missing.

Releases
    0.8 to 3.9. At INFO (the default since 2.6) moves to OfflinePartition and NonExistentPartition are not logged, so
    they are counted as hidden steps. 0.8.0 prints the state after a move as the state before it: that is no evidence.
"""

from __future__ import annotations

from ._moves import impossible_state

RULE = impossible_state("partition", "KR104")
