"""A controller says the wrong thing of a reassignment.

Why it matters
    Who waits for a reassignment to end, to take a broker away, must not go by this line alone.

How it is seen
    A controller prints "completed the ongoing partition reassignment" as it changes an ISR. Up to 3.4 that is so: after
    the record nothing is added or removed any more. From 3.5 on the condition is the wrong way round: the line is
    printed while the reassignment goes on. The line names no offset: from 4.3 on it is held against the record of the
    partition epoch that it prints, before that against the only record of the partition within two seconds. So it is
    suspicious.

    Where it goes on with "and triggered a leadership change", it is right if the reassignment is over. It is printed
    whenever another replica leads after an ISR was changed, so nothing is said where the reassignment goes on.

    In a migration from ZooKeeper it is the same: a controller of the quorum prints this line, about a partition that
    the metadata log has since it was copied, with the replicas that were being added and removed then. Controllers of
    ZooKeeper mode have other words.

What a log cannot show
    Which of several records within two seconds the line is about, and what was to be added and removed before the first
    snapshot that is here.

Releases
    With KRaft, since 3.2; only where the metadata log is there, and the controller prints partitions, too.
"""

from __future__ import annotations

from .....model.expr import either, ite
from ...fields import releases
from ...sources.nodes.columns import goes_on, moves_leader, proposed
from ...table.encoding import in_releases
from ...table.protocol import Row
from ..kraft._remedies import REASSIGNMENT
from ..rule import Rule
from ..verdicts import HELD, SILENT, SUSPICIOUS

_may_go_on, _may_be_over = (releases.intersects(in_releases(text)) for text in (">=3.5", "<=3.4"))
_right = either(goes_on & _may_go_on & ~moves_leader, ~goes_on & either(_may_be_over, moves_leader))


def _is(row: Row) -> str:
    return "goes on" if row["goes_on"] else "is over"


RULE = Rule(
    code="KR548",
    name="reassignment-told-wrongly",
    compares=True,
    observation="reassignments_printed_beside_log",
    verdict=ite(_right, HELD, ite(either(proposed, goes_on & moves_leader), SILENT, SUSPICIOUS)),
    message=lambda row: (
        f"controller {row['node']} says that the reassignment of {row['topic']}-{row['partition']} is over; it"
        f" {_is(row)}"
    ),
    expected=lambda row: f"nothing of the kind: the reassignment {_is(row)} in the metadata log",
    got=lambda row: "completed the ongoing partition reassignment",
    releases=">=3.2",
    remedy=REASSIGNMENT,
)
