"""A broker finished a request without a line about each of its partitions.

Why it matters
    A LeaderAndIsr request assigns a broker the partitions that it leads and follows. A partition that it skips has no
    leader, or no fetcher, though the controller considers the request done.

How it is seen
    In all lines of one broker. Between the line that it begins to handle a request for n partitions and the line that
    it has finished, there are lines about n partitions: each begins to lead or to follow, or a line says why not. A
    broker handles one request at a time. A request that is refused whole, or ends in an error, is not judged. A line
    may be missing, so the finding is suspicious.

What would make it certain
    More answers than the request has partitions: no missing line explains these. Fewer are never certain: if the broker
    refuses a partition, one line says so, and it may be missing.

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
    message=lambda row: f"{request(row)} is for {row['count']} partitions; there are lines about {row['answered']}",
    expected=lambda row: f"{row['count']} partitions that begin to lead or follow, or are refused",
    got=lambda row: f"{row['answered']} partitions",
    releases=">=2.7",
    remedy=until_copies_agree("Trigger new elections for the broker's partitions, so that it receives new requests."),
)
