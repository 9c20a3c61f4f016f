"""A broker handles a request with a different number of partitions than its controller sent.

Why it matters
    A broker that receives fewer partitions than the controller believes fails to lead or follow some of them, or sends
    clients to former leaders.

How it is seen
    Since 2.6 a controller prints the number of partitions and the receiver of each LeaderAndIsr and UpdateMetadata
    request. A broker prints the same number when it begins to handle a LeaderAndIsr request, and when it has applied an
    UpdateMetadata request (partitions added to its cache and deleted from it). No line says which lines belong
    together. Within one controller's tenure the requests arrive in order: some are not received, and one whose answer
    is lost is sent again. So the number that a broker prints stands in the controller's log between those of a request
    that the broker handled before and one that it handled afterwards; the first stands before the one that it handled
    next. If it does not, the finding is suspicious: a missing line of the controller would explain it.

What a log cannot show
    A wrong number that the controller happens to send to that broker, too, at that place. A LeaderAndIsr request is
    judged only where the UpdateMetadata requests before and after it belong to one tenure: its lines name no controller
    epoch. The last request of a tenure is not judged, nor is any request of a tenure that may lack a line.

Releases
    ZooKeeper mode since 2.6.
"""

from __future__ import annotations

from ...observe.broker.handled import sent_total, total
from ...table.protocol import Row
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._requests import request


def _message(row: Row) -> str:
    sentence = (
        f"{request(row, row['of'])} is about {row['total']} partitions; its controller sent no request with that number"
    )
    if row.get("before_total") is None:
        return f"{sentence} before one of {row['sent_total']}"
    return f"{sentence} between one of {row['before_total']} and one of {row['sent_total']}"


RULE = Rule(
    code="KR645",
    name="count-not-sent",
    observation="requests_counted",
    kind="broker",
    compares=True,
    verdict=suspicious_unless(total.eq(sent_total)),
    message=_message,
    expected=lambda row: f"a count that controller {row['controller']} printed in epoch {row['controller_epoch']}",
    got=lambda row: f"{row['total']} partitions",
    releases=">=2.6",
    remedy=until_copies_agree("Move the controller: the new one informs each broker about all partitions."),
)
