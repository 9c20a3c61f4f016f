"""A broker takes a leader epoch, or carries out a request, that it did not receive.

Why it matters
    A broker leads and follows as its controller says. If it takes a leader epoch that nobody asked it to take, it
    refuses the leaders that are due, or two brokers lead.

How it is seen
    In all that one broker wrote of a replica in one process, from the first request of it that is logged: a line with
    which it begins to lead or follow has the leader epoch of a request that it received; one with which it begins, ends
    or refuses a request has the controller and the correlation id of one. A line may be missing, so it is suspicious;
    where some are missing for certain, nothing is said.

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
    return f"takes or refuses request {row['correlation_id']} of controller {row['controller']}"


RULE = Rule(
    code="KR650",
    name="acts-unasked",
    observation="taken_as_asked",
    kind="replica",
    verdict=suspicious_unless(asked),
    message=lambda row: f"{where(row)} {_did(row)}, and received no such request",
    expected=lambda row: "the line in which it received the request",
    got=lambda row: "requests with other numbers only",
    remedy=CONTROLLER_ANEW,
)
