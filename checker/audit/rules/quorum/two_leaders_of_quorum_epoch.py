"""Lines name two leaders of one epoch of the metadata quorum.

Why it matters
    Raft depends on one leader per epoch: with two, both commit records at the same offsets, and committed metadata is
    lost.

How it is seen
    A node prints that it leads an epoch, a controller that it becomes active in one, a follower whom it follows, a
    controller who leads. All lines about an epoch name the same node, and it is the one in the epoch's LeaderChange
    record, where the metadata log is available. Where a node's disk was formatted again, or lines name several cluster
    ids, nothing is compared, because epochs then start over. A broker that deletes its copy in a migration from
    ZooKeeper does not count as formatted.

Releases
    All with KRaft, since 3.0.
"""

from __future__ import annotations

from .....model.expr import ite
from ...sources.nodes.columns import leader, one_life, other_leader
from ..kraft._remedies import QUORUM_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SILENT

RULE = Rule(
    code="KR533",
    name="two-leaders-of-one-quorum-epoch",
    former_names=("two-leaders-told-of-one-quorum-epoch",),
    compares=True,
    observation="quorum_leaders",
    kind="quorum",
    verdict=ite(leader.eq(other_leader), HELD, ite(one_life, ILLEGAL, SILENT)),
    message=lambda row: f"node {row['node']} prints that {row['leader']} leads epoch {row['raft_epoch']}",
    expected=lambda row: f"leader {row['other_leader']}",
    got=lambda row: f"leader {row['leader']}",
    issues=("KIP-595",),
    follows_from=("KR502",),
    remedy=QUORUM_STATE,
)
