"""A leader starts below a high watermark that was reached in an earlier leader epoch: committed records are gone.

Why it matters
    Records below the high watermark were acknowledged to producers with acks=all, and read by consumers. The new leader
    lacks them, every other replica truncates its log to the leader's, and other records get their offsets.

How it is seen
    Each broker prints high watermarks: when it begins to lead or follow, when it shrinks an ISR, when it begins to
    fetch (1.1 to 2.7), and when it loads a log, which prints the one that the previous process left on disk. Each was
    reached in the broker's leader epoch at that time, or in an earlier one. Records that a leader wrote while it was
    alone in the ISR are committed as well: when it comes back, it prints where its log ends (since 2.6 as it begins to
    follow, from 1.1 to 2.5 as it opens the log, from 0.11 to 1.0 its fetcher begins there). The line of a leader of a
    later epoch prints where its log ends. If that is lower, at least the records in between are gone: a high watermark
    keeps growing after it is printed. Brokers' clocks are not compared.

    A replica from outside the ISR may be elected where unclean.leader.election.enable is set: then the loss was a
    choice, and the finding is suspicious. It is illegal only if the last ISR that the previous leader printed, in the
    epoch just before, contains the new leader, and the new leader ran all the time: such a replica has every committed
    record. The versions of both must be consecutive; otherwise a change of the ISR may be missing. The broker with the
    high watermark must also reach the new epoch, or the one before; otherwise it may have led in a later one. A broker
    whose disk was lost or replaced, and which comes back with an empty log, looks the same if it leads: as the last
    member of the ISR, or because the others are down.

What a log cannot show
    Records committed after the last high watermark that any broker printed, if their leader was not alone in the ISR.
    If the old leader never comes back, nothing of its disk is printed: most unclean elections then show nothing. A
    replica that was just catching up with a leader that was alone may have held the high watermark back: then the last
    of these records were never acknowledged with acks=all. With acks=1 a record is acknowledged before it is committed:
    such records may be lost with any leader, and no line shows it.

    Nothing is reported for a partition that may have been deleted and created again, nor for the lines of a broker that
    may lack some.

Releases
    0.11 to 3.9. Known bugs that lose committed records without an unclean election: KAFKA-7128 (a replica joins the ISR
    too early, up to 2.0.0); KAFKA-6857 and KAFKA-7415 (a leader gives a wrong answer about where logs diverge, up to
    2.0.0); KAFKA-6880 (a follower misses leader epochs, up to 2.0).
"""

from __future__ import annotations

from .....model.expr import ite, true
from .....model.views import COMMITTED_WITHIN_LOG, LOG, Projection
from ...fields import high_watermark, offset
from ...lines import LOG_LOADED
from ...observe.broker.high_watermarks import created_again, elected_from_isr
from ...observe.compared import was
from ...table.protocol import Row
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS
from ._lost import REMEDY, lost, records
from ._words import where

_SEEN = Projection(LOG, {}, {"leads": true, "log_end": offset, "committed": was(high_watermark)})
"""A line with which a leader begins, beside the greatest high watermark that any broker printed before."""


OUTSIDE = "it was elected from outside it"
"""The end of the message of a finding that shows an unclean election."""


def _elected(row: Row) -> str:
    """Return what the log shows about the election."""
    if row["broker"] == row["before_broker"]:
        return "it had them itself: its log was lost or replaced"
    isr = row.get("last_isr")
    if isr is None or row.get("last_isr_epoch") is None:
        return "the log does not show whether it was in the ISR before"
    shown = f"the ISR printed before, in leader epoch {row['last_isr_epoch']}, is {sorted(isr)}"
    return f"{shown}: {OUTSIDE}" if row["broker"] not in isr else shown


def _message(row: Row) -> str:
    how_many = records(row) if row["before_alone"] else f"at least {records(row)}"
    return f"{where(row)} leads in leader epoch {row['leader_epoch']} without {how_many}; {_elected(row)}"


def _cause(row: Row) -> str:
    had = "it" if row["broker"] == row["before_broker"] else f"broker {row['before_broker']}"
    return f"broker {row['broker']} leads partitions without committed records that {had} had"


def _expected(row: Row) -> str:
    how = "had on its disk" if row["before_row"] in LOG_LOADED else "printed"
    if row["before_alone"]:
        return (
            f"a start at offset {row['before_high_watermark']} or above: the end of the log of broker"
            f" {row['before_broker']}, which stopped when alone in the ISR in leader epoch {row['before_epoch']}"
        )
    return (
        f"a start at offset {row['before_high_watermark']} or above: the high watermark that broker"
        f" {row['before_broker']} {how} in leader epoch {row['before_epoch']} or before"
    )


RULE = Rule(
    code="KR661",
    name="leader-lacks-committed-records",
    observation="leader_starts",
    applies=~created_again,
    verdict=ite(_SEEN.of(COMMITTED_WITHIN_LOG).condition, HELD, ite(elected_from_isr, ILLEGAL, SUSPICIOUS)),
    message=_message,
    cause=_cause,
    expected=_expected,
    got=lambda row: f"a start at offset {row['offset']}",
    issues=("KIP-101", "KAFKA-6361", "KAFKA-7128", "KAFKA-13141"),
    follows_from=("KR204", "KR551"),
    releases=">=0.11",
    lost=lost,
    remedy=REMEDY,
)
