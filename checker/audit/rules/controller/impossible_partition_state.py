"""A line prints a from-state that the partition cannot be in after its previous line.

Why it matters
    Each line fixes the state after it. If the next line of the same partition starts from another state, and no move
    that the log hides leads there, then the controller lost track of the partition, or lines that must be there are
    missing. Where the log has gaps, the finding is unknown. Any log may lack a single line, and nothing else would show
    it: where one line would explain the state, the finding is suspicious. The lines of one deletion follow each other,
    and count as one. The finding is illegal where it takes more lines, and nothing else shows that lines are missing.

Releases
    0.8 to 3.9. At INFO (the default since 2.6) moves to OfflinePartition and NonExistentPartition are not logged, so
    they count as hidden steps. 0.8.0 prints the state after a move as the state before it, which is no evidence.
"""

from __future__ import annotations

from ._moves import impossible_state

RULE = impossible_state("partition", "KR104")
