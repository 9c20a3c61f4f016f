"""A leader's epoch starts at a different offset than the leader printed.

Why it matters
    The start of an epoch decides what followers truncate from their logs, and from where a new leader may commit.

How it is seen
    A node that becomes leader prints the offset at which its epoch starts (epochStartOffset). The first record that it
    writes there is the epoch's LeaderChange. Up to 3.5 the bootstrap records of an empty log may come before it.

Releases
    All with KRaft, since 3.0; only where the metadata log is available.
"""

from __future__ import annotations

from .....model.expr import either, ite
from ...fields import releases
from ...sources.nodes.columns import known_offset, offset, one_life
from ..conditions import in_releases
from ..kraft._remedies import QUORUM_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SILENT

_earlier = releases.intersects(in_releases("<=3.5")) & (offset <= known_offset)

RULE = Rule(
    code="KR536",
    name="quorum-epoch-starts-elsewhere",
    compares=True,
    observation="quorum_epoch_starts",
    kind="quorum",
    verdict=ite(either(offset.eq(known_offset), _earlier), HELD, ite(one_life, ILLEGAL, SILENT)),
    message=lambda row: f"node {row['node']} says that epoch {row['raft_epoch']} starts at offset {row['offset']}",
    expected=lambda row: f"offset {row['known_offset']}, where the LeaderChange of the epoch is",
    got=lambda row: f"offset {row['offset']}",
    issues=("KIP-595",),
    remedy=QUORUM_STATE,
)
