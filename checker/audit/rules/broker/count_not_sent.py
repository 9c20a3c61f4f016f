"""A broker handles a request about another number of partitions than its controller sent.

Why it matters
    A broker that is told of fewer partitions than the controller believes leads or follows some of them not at all, or
    tells clients of leaders that are over.

How it is seen
    Since 2.6 a controller prints how many partitions each LeaderAndIsr and UpdateMetadata request is about, and to whom
    it goes; a broker prints the same when it begins to handle the one, and when it has taken the other (partitions
    added to its cache and deleted from it). No line says which belongs to which. Of one controller's tenure they come
    in one order: some are not received, one whose answer is lost is sent again. So the number that a broker prints
    stands in the controller's log between those of a request that it handled before, and of one that it handled
    afterwards; or before the one that it handled next, if it is the first. If it does not, it is suspicious: a line of
    the controller that is missing would explain it.

What a log cannot show
    A wrong number that the controller happens to send to that broker too, in that place. A LeaderAndIsr request is only
    judged where the UpdateMetadata requests before and after it are of one tenure: its lines name no controller epoch.
    The last request of a tenure is not judged, nor is any of a tenure of which a line may be missing.

Releases
    ZooKeeper mode since 2.6.
"""

from __future__ import annotations

from ...sources.requests.columns import sent_total, total
from ...table.protocol import Row
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._requests import request


def _message(row: Row) -> str:
    sentence = (
        f"{request(row, row['of'])} is about {row['total']} partitions; its controller sent it none of that number"
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
    remedy=until_copies_agree("Move the controller, which tells each broker of all partitions anew."),
)
