"""A node of the metadata quorum makes a transition that Kafka does not have.

Why it matters
    The states keep votes and leadership apart: nobody elected a leader that was never a candidate.

How it is seen
    Since 3.5 the line about a node's state also prints the previous state. In earlier releases the previous state is
    that of the line before, in one process: a line may be missing between the two, so the finding is then suspicious.
    The table is specs/machines/raft-role.toml.

Releases
    All with KRaft, since 3.0. Voted is a state up to 3.8, Prospective one since 4.0; a transition is illegal only if no
    release that prints such a line allows it.
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
