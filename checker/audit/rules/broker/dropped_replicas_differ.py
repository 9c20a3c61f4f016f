"""A leader drops replicas from its ISR that it does not list as out of sync, or that have all its records.

Why it matters
    A leader drops the replicas that do not keep up with it. If it drops another, a replica that has every committed
    record can no longer be elected, and one that lacks some can.

How it is seen
    On the line itself that shrinks an ISR. It prints the set before and the set after, and lists the replicas that are
    out of sync, each with the end of its log: the members of the set before that are not in the set after. The leader's
    own end is printed, too. A replica whose log ends there is in sync, however long it has not fetched (KAFKA-7152,
    since 2.1). The ends are read again for the line: a replica that is about to be dropped may have caught up in
    between, so that is suspicious.

What a log cannot show
    An end below the high watermark is legal: the replica has lost its disk, or what was not yet on it. An end of -1 is
    a replica that has not fetched since this leader began.

Releases
    Since 2.2, in which the line lists the replicas.
"""

from __future__ import annotations

from .....model.expr import field, ite
from ...fields import isr, lagging, last_offset, log_end_offset
from ...table.protocol import Row
from ..remedy import KEEP_LOGS, until_copies_agree
from ..rule import Rule
from ..verdicts import ILLEGAL, suspicious_unless
from ._words import ids, where


def _listed(row: Row) -> bool:
    return sorted(row["lagging"]) == sorted(row["dropped"])


def _message(row: Row) -> str:
    shrinks = f"{where(row)} shrinks the ISR from {ids(row['old_isr'])} to {ids(row['isr'])}"
    if _listed(row):
        return (
            f"{shrinks}; a log listed as out of sync ends at {row['last_offset']}, its own at {row['log_end_offset']}"
        )
    return f"{shrinks}, but lists {ids(row['lagging'])} as out of sync"


RULE = Rule(
    code="KR629",
    name="dropped-replicas-differ",
    observation="replicas_dropped",
    kind="replica",
    verdict=ite(lagging.eq(field("dropped", isr.sort)), suspicious_unless(last_offset < log_end_offset), ILLEGAL),
    message=_message,
    expected=lambda row: (
        f"ends below {row['log_end_offset']}" if _listed(row) else f"{ids(row['dropped'])} out of sync"
    ),
    got=lambda row: f"an end of {row['last_offset']}" if _listed(row) else f"{ids(row['lagging'])} out of sync",
    releases=">=2.2",
    issues=("KAFKA-7152",),
    remedy=until_copies_agree(KEEP_LOGS),
)
