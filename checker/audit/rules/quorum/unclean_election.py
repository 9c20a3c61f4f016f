"""A controller elects a leader that may lack committed records.

Why it matters
    After an unclean election, records that were acknowledged to producers may be gone: the new leader is a replica that
    was not in sync, and all others truncate their logs to match its log.

How it is seen
    A controller prints UNCLEAN with the changes of the partition. Not every such line is an unclean election: up to 3.9
    the word also marks a new leader that was an eligible leader replica, or that a completed reassignment brings
    (KAFKA-18940, KAFKA-19212); since 4.1, every change that leaves a partition RECOVERING. The changed fields
    distinguish them. What remains is a leader from outside the ISR and the eligible leader replicas. It was allowed, by
    an administrator's request or by unclean.leader.election.enable, so the finding is suspicious. Each change is
    reported once, whichever controllers print it.

What a log cannot show
    The lost records: brokers' lines may show them (KR661). An active controller prints its proposals: the metadata log
    shows whether one was committed.

What would make it certain
    The metadata log. If it has the election without the mark RECOVERING, KR508 is illegal. If it has it with the mark,
    KR551 reports the election, and says what is left to prove.

Releases
    All with KRaft, since 3.0.
"""

from __future__ import annotations

from ...sources.nodes.columns import because
from ...table.protocol import Row
from ..kraft._remedies import RECORDS_MAY_BE_LOST
from ..kraft._words import ids
from ..rule import Rule
from ..verdicts import suspicious_unless


def _message(row: Row) -> str:
    where = f"{row['topic']}-{row['partition']}"
    return (
        f"controller {row['node']} elects {row['leader']} to lead {where} from outside its ISR {ids(row['before_isr'])}"
    )


RULE = Rule(
    code="KR546",
    name="unclean-election-printed",
    former_names=("unclean-election-told",),
    observation="unclean_changes_printed",
    verdict=suspicious_unless(~because.is_empty()),
    message=_message,
    expected=lambda row: "a leader that was in the ISR, or an eligible leader replica",
    got=lambda row: f"leader {row['leader']}, alone in its ISR",
    issues=("KIP-704", "KIP-966", "KAFKA-18940", "KAFKA-19212"),
    remedy=RECORDS_MAY_BE_LOST,
    follows_from=("KR551",),
)
