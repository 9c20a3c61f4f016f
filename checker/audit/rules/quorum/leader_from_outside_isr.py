"""Brokers print a leader that was not in the ISR before: acknowledged records may be lost.

Why it matters
    Members of the ISR have every committed record. A leader from outside it may lack some, and every other replica
    truncates its log to match the leader's.

How it is seen
    Lines of any brokers print the states of two consecutive partition epochs: the leader of the second is not in the
    ISR of the first, and is alone in its own. Someone requested an unclean election (up to 3.8 only an administrator
    can), or unclean.leader.election.enable is set, so the finding is suspicious. A reassignment can also end with a
    leader that enters the ISR in that moment. It is recognised where it leaves others in the ISR, or where lines print
    that the previous leader was to be removed.

What a log cannot show
    Since 4.0 eligible leader replicas (KIP-966) can be on. They have every committed record, too, and no broker prints
    them: nothing is reported where the leader's lines may be of such a release. Their wording identifies 3.3 to 3.5;
    3.6 to 3.9 are identified by the version that the broker printed to server.log as its process started (a
    metadata.version of 4.0, which eligible leader replicas need, admits no older broker). The metadata log has them
    (KR508), and controllers print unclean elections (KR546).

What would make it certain
    The metadata log. If its record of the election does not mark the partition RECOVERING, KR508 is illegal. If it
    does, KR551 reports the election, and says what is left to prove.

Releases
    With KRaft, since 3.3.
"""

from __future__ import annotations

from .....model.expr import both, either, ite
from .....model.views import LEADER_FROM_ISR
from ...fields import isr, jars, leader, releases
from ...observe.broker.states import leader_removed
from ...observe.compared import was
from ...table.encoding import in_releases
from ...table.protocol import Row
from ..conditions import step
from ..kraft._remedies import RECORDS_MAY_BE_LOST
from ..kraft._words import ids
from ..rule import Rule
from ..verdicts import HELD, SILENT, SUSPICIOUS

_clean = step(LEADER_FROM_ISR.condition) | ~isr.eq(leader.set())
_elr_possible = releases.intersects(in_releases(">=4.0")) & jars.intersects(in_releases(">=4.0"))


def _message(row: Row) -> str:
    where = f"{row['topic']}-{row['partition']}"
    return f"{where} gets leader {row['leader']} at partition epoch {row['partition_epoch']}, from outside its ISR"


RULE = Rule(
    code="KR545",
    name="leader-printed-from-outside-isr",
    former_names=("leader-told-from-outside-isr",),
    observation="successive_states",
    compares=True,
    applies=both(leader.is_some(), leader.ne(was(leader))),
    verdict=ite(either(_clean, leader_removed), HELD, ite(_elr_possible, SILENT, SUSPICIOUS)),
    message=_message,
    expected=lambda row: f"a leader from the ISR {ids(row['before_isr'])}",
    got=lambda row: f"leader {row['leader']}, ISR {ids(row['isr'])}",
    issues=("KIP-704", "KIP-966"),
    follows_from=("KR508", "KR524"),
    remedy=RECORDS_MAY_BE_LOST,
)
