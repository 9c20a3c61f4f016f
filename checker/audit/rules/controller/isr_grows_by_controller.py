"""A controller's write adds a member to the ISR.

Why it matters
    Only the leader knows whether a replica has all committed records, so only the leader adds it to the ISR. A
    controller that adds one counts a replica as in sync without evidence: it may become leader without those records.

How it is seen
    Two consecutive versions of the znode, the second with a larger leader epoch: the controller wrote it. Elections and
    removals drop members, or leave the ISR as it is; leaders change it under the same leader epoch. A leader from
    outside the ISR is a separate finding: KR204.

Releases
    All that print the version of the znode (1.0 and later).
"""

from __future__ import annotations

from ...fields import gap, isr, leader, leader_epoch
from ...observe.compared import next_version, was
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._words import brokers, ids, state, where

_raised = was(leader_epoch) < leader_epoch

RULE = Rule(
    code="KR210",
    name="isr-grows-by-controller",
    observation="versions",
    applies=next_version & _raised & leader.set().subset_of(was(isr)),
    verdict=illegal_unless(isr.subset_of(was(isr)), in_doubt=gap),
    message=lambda row: (
        f"the controller put {brokers({*row['isr']} - {*row['before_isr']})} into the ISR of {where(row)}"
    ),
    expected=lambda row: f"an ISR within {ids(row['before_isr'])}",
    got=lambda row: f"{state(row)} after {state(row, 'before_')}",
    releases=">=1.0",
    follows_from=("KR203", "KR201"),
    remedy=until_copies_agree(f"{KEEP_LOGS} Until they are compared, do not let the new member become leader."),
)
