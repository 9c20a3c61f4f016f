"""A broker adopts a leader epoch, or handles a request, that it did not receive.

Why it matters
    A broker leads and follows as its controller instructs. If it adopts a leader epoch that no request gave it, it
    refuses the rightful leaders, or two brokers lead.

How it is seen
    In the lines about a replica from one broker process, from the first logged request on. A line that starts leading
    or following has the leader epoch of a request that the broker received; a line that starts, finishes or refuses a
    request has the controller and correlation id of one. A line may be missing, so the finding is suspicious; where
    some are certainly missing, nothing is reported.

What would make it certain
    All lines of all controllers, at TRACE: if none sends the broker that leader epoch, there was no request whose line
    could be missing. The number of a request does not prove it: since 0.9 controllers do not print it when they send.

Releases
    ZooKeeper mode, where requests are logged: at TRACE. Leaders print lines since 0.11, followers since 2.6.
"""

from __future__ import annotations

from ...lines import FOLLOWS, LEADS
from ...observe.broker.requests import asked
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._remedies import CONTROLLER_ANEW
from ._words import does, where


def _did(row: Row) -> str:
    if row["row"] in (*LEADS, *FOLLOWS):
        return f"{does(row)} in leader epoch {row['leader_epoch']}"
    return f"accepts or refuses request {row['correlation_id']} of controller {row['controller']}"


RULE = Rule(
    code="KR650",
    name="acts-unasked",
    observation="taken_as_asked",
    kind="replica",
    verdict=suspicious_unless(asked),
    message=lambda row: f"{where(row)} {_did(row)}, but received no such request",
    expected=lambda row: "the line in which it received the request",
    got=lambda row: "only other requests",
    remedy=CONTROLLER_ANEW,
)
