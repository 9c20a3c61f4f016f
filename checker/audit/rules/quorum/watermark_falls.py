"""The high watermark of the metadata quorum falls.

Why it matters
    Records below the high watermark are committed: brokers and controllers have acted on them. If it falls, a voter has
    lost some.

How it is seen
    A node prints the first high watermark that it knows in an epoch; if it prints another one in the same epoch (it was
    restarted, or follows again), that is not lower. A leader that computes a lower one says so itself, at ERROR: since
    3.9 a change of the voters may also cause that, and it is suspicious.

Releases
    The ERROR line since 3.0, the others since 3.4.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import releases
from ...observe.compared import was
from ...sources.nodes.columns import high_watermark, in_order, one_life, voters_shown
from ..conditions import in_releases
from ..kraft._remedies import QUORUM_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SILENT, SUSPICIOUS

_voters_may_change = voters_shown & releases.intersects(in_releases(">=3.9"))

RULE = Rule(
    code="KR535",
    name="quorum-high-watermark-falls",
    observation="quorum_high_watermarks",
    kind="quorum",
    verdict=ite(
        was(high_watermark) <= high_watermark,
        HELD,
        ite(in_order & one_life, ite(_voters_may_change, SUSPICIOUS, ILLEGAL), SILENT),
    ),
    message=lambda row: f"node {row['node']} has the high watermark {row['high_watermark']} of the metadata log",
    expected=lambda row: f"{row['before_high_watermark']} or more, as it knew before",
    got=lambda row: f"high watermark {row['high_watermark']}",
    issues=("KIP-595",),
    remedy=QUORUM_STATE,
)
