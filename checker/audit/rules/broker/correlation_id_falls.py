"""A controller's request has a correlation id that is not above the previous one.

Why it matters
    A controller sends a broker one request at a time, and waits for each answer. A request that is repeated or late
    undoes what later ones said.

How it is seen
    In all lines of one broker. The correlation ids of one controller's requests grow, and each belongs to one kind of
    request. Gaps are normal: not every request prints a line. A controller that is elected again counts from 0, which
    the epoch shows where both lines have one. A controller that lost contact with a broker and regains it also counts
    from 0 again, so a fall to 0, 1 or 2 is not reported (the first of its requests may print no line). Lines that a
    file repeats later look the same, so the finding is suspicious.

What would make it certain
    The controller's lines, at TRACE: since 1.1 it prints the correlation id of each answer ("Received response ... with
    correlation id ..."). If they go back there, too, in one controller epoch, and controller.log has no line that the
    broker was removed or added ("Newly added brokers: ..."), the request came out of turn.

Releases
    All of ZooKeeper mode: LeaderAndIsr, StopReplica and UpdateMetadata requests where they are logged, at TRACE up to
    2.5, at INFO since 2.6.
"""

from __future__ import annotations

from .....model.expr import both
from ...fields import correlation_id
from ...sources.requests.columns import KINDS, before_id, before_of, of
from ..remedy import CONTROLLER_EPOCH, MOVE_CONTROLLER, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._requests import request

RULE = Rule(
    code="KR641",
    name="correlation-id-falls",
    observation="requests_in_turn",
    kind="broker",
    compares=True,
    verdict=suspicious_unless(both(before_id <= correlation_id, ~(before_id.eq(correlation_id) & ~of.eq(before_of)))),
    message=lambda row: f"{request(row, row['of'])} comes after {KINDS[row['before_of']]} request {row['before_id']}",
    expected=lambda row: f"a correlation id above {row['before_id']}",
    got=lambda row: f"correlation id {row['correlation_id']}",
    remedy=Remedy(workaround=MOVE_CONTROLLER, verify=CONTROLLER_EPOCH, look_for="one controller, and its newest epoch"),
)
