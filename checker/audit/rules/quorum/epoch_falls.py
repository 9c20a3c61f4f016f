"""A node of the metadata quorum goes back to an earlier epoch.

Why it matters
    A voter that forgets its epoch may vote twice in one, and then an epoch has two leaders: committed metadata is lost.

How it is seen
    A node writes its epoch to its disk (quorum-state) before it answers anybody, so it never falls. Compared are two
    lines of one process in one file, the second written later. A start shows: the node opens its log, or comes from no
    state. Where lines may be missing, that one may be, and where lines of another cluster are there, the two may be of
    two nodes: the finding is then suspicious. So it is of a candidate whose line does not tell the state before: its
    epoch is one above the one that it had (QuorumState.transitionToCandidate), and the line with which it came to that
    is not there. Since 3.5 a line tells the state before, with its epoch: an epoch below that one is a fall, whatever
    stands above. Where it tells of another state than the line above, lines between the two are missing, or these stand
    in another order than they were written in: that is suspicious, too.

Releases
    All with KRaft, since 3.0.
"""

from __future__ import annotations

from .....model.expr import both, either, ite
from ...fields import raft_epoch
from ...observe.compared import was
from ...sources.nodes.columns import falls, follows, from_printed, in_order, to_role
from ...table.protocol import Row
from ..kraft._remedies import QUORUM_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SILENT, SUSPICIOUS
from ._words import in_doubt

_line_missing = both(~from_printed, to_role.eq("Candidate"))

_fallen = ite(either(_line_missing, ~follows), SUSPICIOUS, in_doubt)


def _expected(row: Row) -> str:
    if row["falls"]:
        return f"an epoch from {row['from_raft_epoch']} on, which it had just before"
    return f"an epoch from {row['before_raft_epoch']} on, which it had before in the same process"


RULE = Rule(
    code="KR531",
    name="quorum-epoch-falls",
    observation="quorum_states",
    kind="quorum",
    verdict=ite(falls, ILLEGAL, ite(was(raft_epoch) <= raft_epoch, HELD, ite(in_order, _fallen, SILENT))),
    message=lambda row: f"node {row['node']} is {row['to_state']} in epoch {row['raft_epoch']} of the metadata quorum",
    expected=_expected,
    got=lambda row: f"epoch {row['raft_epoch']}",
    issues=("KIP-595",),
    remedy=QUORUM_STATE,
)
