"""A node of the metadata quorum moves between two states between which there is no move.

Why it matters
    The states keep votes and leadership apart: who leads without having been a candidate was elected by nobody.

How it is seen
    Since 3.5 the line that tells a node's state also prints the one before; earlier it is that of the line before, in
    one process: as a line may be missing between the two, the finding is then suspicious. The table is
    specs/machines/raft-role.toml.

Releases
    All with KRaft, since 3.0. Voted is a state up to 3.8, Prospective one since 4.0; a move is illegal only if it is in
    every release that prints such a line.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import releases
from ...sources.nodes.columns import from_printed, from_role, to_role
from ..kraft._remedies import QUORUM_STATE
from ..moves import valid_in
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS

RULE = Rule(
    code="KR532",
    name="illegal-quorum-state",
    observation="quorum_states",
    kind="quorum",
    verdict=ite(
        releases.intersects(valid_in("raft-role")[from_role][to_role]), HELD, ite(from_printed, ILLEGAL, SUSPICIOUS)
    ),
    message=lambda row: f"node {row['node']} becomes {row['to_state']} from {row['from_state']}",
    expected=lambda row: f"a state from which a node may become {row['to_state']}",
    got=lambda row: f"{row['from_state']}, in epoch {row['raft_epoch']}",
    issues=("KIP-595", "KIP-853", "KIP-996"),
    remedy=QUORUM_STATE,
)
