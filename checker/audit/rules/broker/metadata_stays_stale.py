"""A broker goes on to tell clients of a leader that is over, though it knows the new one as a replica.

Why it matters
    Clients ask any broker who leads a partition. One whose metadata stays behind sends them to a broker that leads no
    more: they fail, ask again, and get the same answer.

How it is seen
    In all that one broker wrote, in one process, by its own clock: the broker took a leader epoch of the partition, as
    leader or follower, and did not cache it in more than a minute, though it writes lines for so long. A controller
    sends the metadata right after the request, and waits for an answer for 30 seconds; if it ends in between, the next
    one sends all metadata. Staleness is legal for as long as that takes, and for ever if there is no controller, so it
    is suspicious. Where the partition was deleted in that process, nothing is said.

What a log cannot show
    Whether a broker that hosts no replica is behind: only the controller's lines tell what it should know, and clocks
    of two brokers are not compared. What a process before the last one of the log cached in the end. Since 2.6 metadata
    is only counted, but at TRACE.

Releases
    ZooKeeper mode, where metadata is logged: at TRACE.
"""

from __future__ import annotations

from ...observe.broker.stale import cached_epoch, taken_epoch
from ...table.protocol import Row
from ..remedy import MOVE_CONTROLLER, TOPIC, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where


def _seconds(row: Row) -> int:
    return int((row["lived_until"] - row["clock"]) // 1000)


RULE = Rule(
    code="KR651",
    name="metadata-stays-stale",
    observation="metadata_beside_taken",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(taken_epoch <= cached_epoch),
    message=lambda row: (
        f"{where(row)} took leader epoch {row['taken_epoch']}, and caches leader epoch {row['cached_epoch']} for"
        f" {_seconds(row)} s, up to its last line"
    ),
    cause=lambda row: f"broker {row['broker']} tells clients of leaders that are over",
    expected=lambda row: f"leader epoch {row['taken_epoch']} in the cache within a minute",
    got=lambda row: f"leader epoch {row['cached_epoch']}",
    remedy=Remedy(
        workaround=f"{MOVE_CONTROLLER} It sends all metadata to all brokers.",
        verify=TOPIC,
        look_for="the leader that the controller printed last, from each broker that is asked",
    ),
)
