"""A node's quorum-state contradicts the metadata log about the leader or a vote of an epoch.

Why it matters
    A node writes its vote, and the leader that it knows, to quorum-state before it answers anybody. The file keeps it
    from voting twice in one epoch: if it contradicts the log, two leaders may have been elected in that epoch.

How it is seen
    The LeaderChange of an epoch names the leader, and the voters that granted it their votes. A quorum-state of the
    same epoch names the same leader, whoever wrote it and whenever it was copied; if it has the vote of a node that the
    record counts, the vote is for that leader. Different epochs cannot be compared, and up to 3.8 a follower forgets
    its vote. quorum-state has neither a checksum nor the id of its cluster, so it may belong to another one: the
    finding is suspicious.

What would make it certain
    meta.properties in the folder of the quorum-state: its cluster.id and node.id prove which cluster and which node the
    file belongs to.

Releases
    All with KRaft, since 3.0.
"""

from __future__ import annotations

from ...sources.metadata.columns import agrees
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._remedies import QUORUM_STATE


def _got(row: Row) -> str:
    if row["kind"] == "leader":
        return f"leader {row['other_leader']}"
    return f"a vote for {row['other_leader']}"


RULE = Rule(
    code="KR552",
    name="quorum-state-differs-from-log",
    compares=True,
    observation="metadata_quorum_states",
    kind="quorum",
    verdict=suspicious_unless(agrees),
    message=lambda row: (
        f"the quorum-state of node {row['node']} contradicts epoch {row['controller_epoch']} of the log"
    ),
    expected=lambda row: f"{'leader' if row['kind'] == 'leader' else 'a vote for'} {row['leader_id']}",
    got=_got,
    issues=("KIP-595",),
    remedy=QUORUM_STATE,
)
