"""A broker accepts a request with an old leader epoch, or refuses one with a new one.

Why it matters
    A broker accepts a request if and only if its leader epoch is larger than the one that the broker has. Otherwise a
    delayed request could bring back a deposed leader, or a rightful leader would never begin.

How it is seen
    In the lines of one broker process. Nothing is reported where the process's start would not show: after a start a
    broker accepts any request. A request that is accepted has a larger leader epoch than the last one that the broker
    accepted; one that is refused for its epoch does not, and the refusal prints the epoch that the broker has. The same
    holds for a request to stop a replica that is refused for its epoch.

    If the broker refuses for a larger epoch than it accepted, the lines of a request may be missing; if it accepts the
    epoch that it has, the line of its process's start may be: both are suspicious.

Releases
    Accepted requests: where requests are logged, at TRACE. Refused requests: all, up to 2.5 where requests are logged.
    Stops are refused for their epoch since 2.6.
"""

from __future__ import annotations

from .....model.expr import either, ite
from ...fields import gap, process_known
from ...lines import BECOME_BEGUN, is_line
from ...observe.broker.requests import asked_epoch, printed_epoch
from ...observe.broker.taken import known_epoch
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import illegal_unless
from ._remedies import CONTROLLER_ANEW
from ._words import where

_takes = known_epoch < asked_epoch
_refuses = (asked_epoch <= known_epoch) & printed_epoch.eq(known_epoch)
_takes_again = is_line(BECOME_BEGUN) & asked_epoch.eq(known_epoch)
"""A process that has just started does the same, and a single line shows its start."""
_took_more = ~is_line(BECOME_BEGUN) & (known_epoch < printed_epoch) & (asked_epoch <= printed_epoch)
"""The broker has since accepted a request whose lines are missing: then it is right to refuse."""


def _message(row: Row) -> str:
    if row["row"] in BECOME_BEGUN:
        return (
            f"{where(row)} accepts a request of leader epoch {row['asked_epoch']}; it has leader epoch"
            f" {row['known_epoch']}"
        )
    return (
        f"{where(row)} refuses a request of leader epoch {row['asked_epoch']} for its own"
        f" {row['printed_epoch']}; it has leader epoch {row['known_epoch']}"
    )


RULE = Rule(
    code="KR609",
    name="decides-against-epoch",
    observation="requests_decided",
    kind="replica",
    compares=True,
    applies=process_known,
    verdict=illegal_unless(
        ite(is_line(BECOME_BEGUN), _takes, _refuses), in_doubt=either(gap, _takes_again, _took_more)
    ),
    message=_message,
    expected=lambda row: f"a request is accepted if its leader epoch is above {row['known_epoch']}",
    got=lambda row: "accepted" if row["row"] in BECOME_BEGUN else "refused",
    remedy=CONTROLLER_ANEW,
)
