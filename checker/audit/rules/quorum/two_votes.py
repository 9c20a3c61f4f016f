"""A voter of the metadata quorum voted for two candidates in one epoch.

Why it matters
    Two candidates may then have a majority in one epoch, and both lead.

How it is seen
    A node prints the candidate to whom it grants its vote; a candidate votes for itself; up to 3.8 a node that voted
    says for whom. A pre-vote (KIP-996) is not a vote. The vote is on the voter's disk (quorum-state), so a restart of
    the process is no excuse; a disk that was formatted again is.

Releases
    All with KRaft, since 3.0.
"""

from __future__ import annotations

from .....model.expr import ite
from ...fields import voted
from ...observe.compared import was
from ...sources.nodes.columns import one_life
from ..kraft._remedies import QUORUM_STATE
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SILENT

RULE = Rule(
    code="KR534",
    name="two-votes-in-one-epoch",
    observation="quorum_votes",
    kind="quorum",
    verdict=ite(voted.eq(was(voted)), HELD, ite(one_life, ILLEGAL, SILENT)),
    message=lambda row: f"node {row['node']} gave its vote of epoch {row['raft_epoch']} to {row['voted']}",
    expected=lambda row: f"a vote for {row['before_voted']}, as before",
    got=lambda row: f"a vote for {row['voted']}",
    issues=("KIP-595",),
    remedy=QUORUM_STATE,
)
