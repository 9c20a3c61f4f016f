"""An epoch of the metadata quorum has two leaders, or one that the voters did not elect.

Why it matters
    Raft depends on one leader per epoch: with two, both commit records at the same offsets, and committed metadata is
    lost.

How it is seen
    A new leader's first record is a LeaderChange with its id, the voters, and those that voted for it. The leader is
    one of the voters, and more than half of them granted it their votes. It is the first record of its epoch; up to 3.5
    the bootstrap records of an empty log may come before it.

Releases
    All with KRaft.
"""

from __future__ import annotations

from .....model.expr import either
from ...fields import releases
from ...sources.metadata.columns import first, granting, leader_id, majority, other_leader, voters
from ...table.protocol import Row
from ..conditions import in_releases
from ..rule import Rule
from ._remedies import QUORUM_STATE
from ._words import broken_unless, ids

_elected = voters.contains(leader_id) & granting.subset_of(voters) & majority
_begins = either(first, releases.intersects(in_releases("<=3.5")))


def _got(row: Row) -> str:
    if row["other_leader"] != row["leader_id"]:
        return f"also leader {row['other_leader']}"
    if row["leader_id"] not in row["voters"]:
        return f"voters {ids(row['voters'])}"
    return f"votes of {ids(row['granting'])}" if not row["majority"] else "other records of the epoch before it"


RULE = Rule(
    code="KR502",
    name="epoch-with-wrong-leader",
    compares=True,
    observation="metadata_leaders",
    kind="quorum",
    verdict=broken_unless(leader_id.eq(other_leader) & _elected & _begins),
    message=lambda row: f"epoch {row['controller_epoch']} of the metadata quorum is led by {row['leader_id']}",
    expected=lambda row: f"one leader, elected by a majority of {ids(row['voters'])}, whose epoch begins here",
    got=_got,
    contradicts=lambda row: bool(row["other_leader"] != row["leader_id"]),
    issues=("KIP-595",),
    remedy=QUORUM_STATE,
)
