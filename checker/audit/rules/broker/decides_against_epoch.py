"""A broker takes a request with an old leader epoch, or refuses one with a new one.

Why it matters
    A broker takes a request if and only if its leader epoch is larger than the one that it has. Otherwise a request
    that was delayed could make a leader of who was deposed, or a leader that is due would never begin.

How it is seen
    In all that one broker wrote, in one process; where its start would not show, nothing is said: after it a broker
    takes any request. A request that is taken has a larger leader epoch than the one that
    the broker took before; one that is refused for its epoch has not, and the line with which it is refused prints the
    epoch that the broker has. So it is with a request to stop a replica that is refused for its epoch.

    If the broker refuses for a larger epoch than it took, the lines of a request may be missing; if it takes the epoch
    that it has, the line with which its process started: that is suspicious.

Releases
    What is taken: where requests are logged, at TRACE. What is refused: all, up to 2.5 where requests are logged. Stops
    are refused for their epoch since 2.6.
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
"""So does a process that has just started, and one line tells of that."""
_took_more = ~is_line(BECOME_BEGUN) & (known_epoch < printed_epoch) & (asked_epoch <= printed_epoch)
"""The broker took a request since, of which the lines are missing: then it is right to refuse."""


def _message(row: Row) -> str:
    if row["row"] in BECOME_BEGUN:
        return (
            f"{where(row)} takes a request of leader epoch {row['asked_epoch']}; it has leader epoch"
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
    expected=lambda row: f"a request is taken if its leader epoch is above {row['known_epoch']}",
    got=lambda row: "taken" if row["row"] in BECOME_BEGUN else "refused",
    remedy=CONTROLLER_ANEW,
)
