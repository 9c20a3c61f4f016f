"""A broker has finished with a request, and did not say of each partition what it does.

Why it matters
    A LeaderAndIsr request tells a broker which partitions it leads and follows. One that is passed over is led, or
    fetched, by nobody, though its controller takes the request for done.

How it is seen
    In all that one broker wrote: between the lines that tell that it begins to handle a request for n partitions and
    that it has finished, lines are about n partitions: each begins to lead or to follow, or a line says why not. A
    broker handles one request after the other. A request that is refused whole, or ends in an error, is not judged. A
    line may be missing, so it is suspicious.

Releases
    ZooKeeper mode since 2.7, where both lines are printed.
"""

from __future__ import annotations

from ...fields import count
from ...sources.requests.columns import answered
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._requests import request

RULE = Rule(
    code="KR640",
    name="request-answered-in-part",
    observation="requests_answered",
    kind="broker",
    compares=True,
    verdict=suspicious_unless(answered.eq(count)),
    message=lambda row: f"{request(row)} is for {row['count']} partitions; lines tell of {row['answered']}",
    expected=lambda row: f"{row['count']} partitions that begin to lead or follow, or are refused",
    got=lambda row: f"{row['answered']} partitions",
    releases=">=2.7",
    remedy=until_copies_agree("Elect leaders of the broker's partitions anew, so that it is told again what to do."),
)
