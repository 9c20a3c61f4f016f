"""A broker fetches a partition from another broker than the leader that it took.

Why it matters
    A follower copies what its leader has, and cuts its own log to it. If it fetches from another, it takes over records
    that the leader does not have, and counts as in sync though it is not.

How it is seen
    In all that one broker wrote, in one process: each partition for which a fetcher is added is one that the broker
    follows, from the leader and in the leader epoch that it took last. If it fetches in a later epoch, or the line does
    not print it, the lines of a request may be missing: that is suspicious.

Releases
    All; the leader epoch is printed since 2.1. From 2.6 to 3.2 followers do not print their leader, so at INFO only
    the epoch is compared.
"""

from __future__ import annotations

from .....model.expr import both, either
from ...fields import gap, leader, takes_shown
from ...observe.broker.requests import fetch_epoch, fetch_leader, not_later
from ...observe.broker.taken import known_epoch, known_role
from ...table.protocol import Row
from ..remedy import until_copies_agree
from ..rule import Rule
from ..verdicts import illegal_unless
from ._remedies import LEADERS_ANEW
from ._words import where


def _taken(row: Row) -> str:
    if row["known_role"] == "become-leader":
        return f"it leads, in leader epoch {row['known_epoch']}"
    return f"it follows {row['fetch_leader']}, in leader epoch {row['known_epoch']}"


RULE = Rule(
    code="KR610",
    name="fetches-from-another",
    observation="fetches",
    kind="replica",
    compares=True,
    applies=takes_shown,
    verdict=illegal_unless(
        both(known_role.eq("become-follower"), leader.eq(fetch_leader), known_epoch.eq(fetch_epoch)),
        in_doubt=either(gap, ~not_later),
    ),
    message=lambda row: (
        f"{where(row)} fetches from broker {row['leader']} in leader epoch {row['fetch_epoch']}; {_taken(row)}"
    ),
    expected=lambda row: _taken(row),
    got=lambda row: f"a fetcher to broker {row['leader']} in leader epoch {row['fetch_epoch']}",
    remedy=until_copies_agree(LEADERS_ANEW),
)
