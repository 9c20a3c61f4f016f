"""A follower truncates its log to an offset beyond where its leader began.

Why it matters
    A follower truncates what its leader does not have. Records beyond the leader's own end stay in the follower's log,
    under offsets that the leader gives to other records: the copies differ.

How it is seen
    In the lines of both brokers: a follower's log is truncated in a leader epoch to an offset that is not above the
    offset at which the leader of that epoch begins. Clocks are not compared. Lines of the follower's next leader epoch
    may be missing, so the finding is suspicious.

What would make it certain
    The leader's answer. Since 3.1 the line with which the fetcher announces a truncation prints it
    ("EpochEndOffset(..., endOffset=...)"): a completed truncation to a higher offset contradicts itself. Up to 3.0 no
    line prints both, and one missing line, of a later leader epoch, explains the offset.

Releases
    Since 2.1, where a follower asks the leader about the leader epoch that it adopted (KIP-320). In earlier releases it
    may truncate by a former leader's answer.
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
"""A line that truncates a log, beside the end of the leader's log when it began: nothing of its epoch is truncated."""

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
