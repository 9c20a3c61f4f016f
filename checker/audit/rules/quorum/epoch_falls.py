"""A node of the metadata quorum goes back to an earlier epoch.

Why it matters
    A voter that forgets its epoch may vote twice in one, and then an epoch has two leaders: committed metadata is lost.

How it is seen
    A node writes its epoch to disk (quorum-state) before it answers anybody, so the epoch never falls. The rule
    compares two lines of one process in one file, the second written later. A start is visible: the node opens its log,
    or comes from no state. Where lines may be missing, the line of a start may be, and where lines of another cluster
    are present, the two lines may be of two nodes: the finding is then suspicious. It is also suspicious for a
    candidate whose line does not print the previous state: its epoch is one above its previous one
    (QuorumState.transitionToCandidate), and the line with which it reached that is absent. Since 3.5 a line prints the
    previous state, with its epoch: an epoch below that one is a fall, whatever stands above. Where it prints another
    state than the line above, lines between the two are missing, or the lines are out of order: that is suspicious,
    too.

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
        return f"epoch {row['from_raft_epoch']} or above, which it had just before"
    return f"epoch {row['before_raft_epoch']} or above, which it had before in the same process"


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
