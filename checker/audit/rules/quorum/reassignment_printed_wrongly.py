"""A controller prints a false statement about a reassignment.

Why it matters
    An operator who waits for a reassignment to end before removing a broker must not rely on this line alone.

How it is seen
    A controller prints "completed the ongoing partition reassignment" as it changes an ISR. Up to 3.4 that is true:
    after the record nothing is being added or removed. From 3.5 on the condition is inverted: the line is printed while
    the reassignment is still in progress. The line names no offset: from 4.3 on it is compared with the record of the
    partition epoch that it prints, in earlier releases with the only record of the partition within two seconds. So the
    finding is suspicious.

    Where the line continues with "and triggered a leadership change", it is true if the reassignment is over. It is
    printed whenever another replica leads after an ISR was changed, so nothing is reported where the reassignment is
    still in progress.

    A migration from ZooKeeper is the same: a controller of the quorum prints this line about a partition that is in the
    metadata log since it was copied, with the replicas that were being added and removed then. Controllers in ZooKeeper
    mode use another wording.

What a log cannot show
    Which of several records within two seconds the line is about, and which replicas were to be added and removed
    before the first available snapshot.

What would make it certain
    DEBUG for org.apache.kafka.controller: the controller then prints the change itself, next to this line, with topic
    id and partition epoch, and so names the record. Since 4.3 the line itself prints the partition epoch, but not the
    topic id: it may be about another topic of that name, or another cluster.

Releases
    With KRaft, since 3.2; only where the metadata log is available, and the controller prints partitions, too.
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
    return "is in progress" if row["goes_on"] else "is over"


RULE = Rule(
    code="KR548",
    name="reassignment-printed-wrongly",
    former_names=("reassignment-told-wrongly",),
    compares=True,
    observation="reassignments_printed_beside_log",
    verdict=ite(_right, HELD, ite(either(proposed, goes_on & moves_leader), SILENT, SUSPICIOUS)),
    message=lambda row: (
        f"controller {row['node']} says that the reassignment of {row['topic']}-{row['partition']} is over, but it"
        f" {_is(row)}"
    ),
    expected=lambda row: f"no such line: the reassignment {_is(row)} in the metadata log",
    got=lambda row: "completed the ongoing partition reassignment",
    releases=">=3.2",
    remedy=REASSIGNMENT,
)
