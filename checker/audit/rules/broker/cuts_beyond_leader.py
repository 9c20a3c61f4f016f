"""A follower cuts its log to beyond where its leader began.

Why it matters
    A follower cuts off what its leader does not have. What stands beyond the leader's own end stays in the follower's
    log, under the offsets of other records of the leader: the copies differ.

How it is seen
    In what the two brokers wrote: a follower's log is cut in a leader epoch to an offset that is not above the one
    from which the leader of that epoch begins. Clocks are not compared. Lines with which the follower took another
    leader epoch may be missing, so it is suspicious.

Releases
    Since 2.1, where a follower asks the leader in the leader epoch that it took (KIP-320). Before, it can cut by an
    answer of a leader that is over.
"""

from __future__ import annotations

from .....model.expr import true
from .....model.views import LOG, TRUNCATION_WITHIN_LEADER, Projection
from ...fields import offset
from ...observe.broker.across import leads_from
from ..conditions import step
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

_SEEN = Projection(LOG, {}, {"cut": true, "log_end": offset, "leader_end": leads_from})
"""A line that cuts a log, beside where the leader's log ended as it began: nothing of its epoch is cut."""

RULE = Rule(
    code="KR639",
    name="cuts-beyond-leader",
    observation="cuts_in_epoch",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(step(_SEEN.of(TRUNCATION_WITHIN_LEADER).condition)),
    message=lambda row: (
        f"{where(row)}: the log is cut to offset {row['offset']} in leader epoch {row['leader_epoch']}, whose leader"
        f" begins at offset {row['leads_from']}"
    ),
    expected=lambda row: f"a cut to offset {row['leads_from']} or below",
    got=lambda row: f"a cut to offset {row['offset']}",
    releases=">=2.1",
    issues=("KIP-320",),
    remedy=until_copies_agree(KEEP_LOGS),
)
