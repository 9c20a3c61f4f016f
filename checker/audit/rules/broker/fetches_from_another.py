"""A broker fetches a partition from a broker other than the leader that it adopted.

Why it matters
    A follower copies its leader's records, and truncates its own log to match. If it fetches from another broker, it
    copies records that the leader does not have, and counts as in sync though it is not.

How it is seen
    In the lines of one broker process: the broker follows each partition for which a fetcher is added, and the fetcher
    has the leader and the leader epoch that the broker adopted last. If it fetches in a later epoch, or the line does
    not print the epoch, the lines of a request may be missing: the finding is suspicious.

Releases
    All; the leader epoch is printed since 2.1. From 2.6 to 3.2 followers do not print their leader, so at INFO only the
    epoch is compared.
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
