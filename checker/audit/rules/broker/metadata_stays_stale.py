"""A broker keeps sending clients to a former leader, though it knows the new one as a replica.

Why it matters
    Clients ask any broker who leads a partition. A broker with stale metadata sends them to a broker that no longer
    leads: they fail, ask again, and get the same answer.

How it is seen
    In the lines of one broker process, by its own clock: the broker adopted a leader epoch of the partition, as leader
    or follower, and did not cache it within a minute, though it keeps writing lines. A controller sends the metadata
    right after the request, and waits 30 seconds for an answer; if it dies in between, the next one sends all metadata.
    Stale metadata is legal until then, and indefinitely if there is no controller, so the finding is suspicious.
    Nothing is reported where the partition was deleted in that process.

What a log cannot show
    Whether a broker that hosts no replica is behind: only the controller's lines say what it should know, and clocks of
    two brokers are not compared. The final cache of a process before the last one in the log. Since 2.6 metadata is
    only counted, except at TRACE.

What would make it certain
    The controller's lines at TRACE, from 1.1 to 2.5: one sends the new leader to the broker, and a later one shows that
    the broker answered without an error ("Received response ... for request UPDATE_METADATA ..."). Until such a request
    is answered, old metadata is legal, however old. Since 2.6 controllers print only how many partitions they send.

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
        f"{where(row)} adopted leader epoch {row['taken_epoch']}, but caches leader epoch {row['cached_epoch']} for"
        f" {_seconds(row)} s, up to its last line"
    ),
    cause=lambda row: f"broker {row['broker']} sends clients to former leaders",
    expected=lambda row: f"leader epoch {row['taken_epoch']} in the cache within a minute",
    got=lambda row: f"leader epoch {row['cached_epoch']}",
    remedy=Remedy(
        workaround=f"{MOVE_CONTROLLER} It sends all metadata to all brokers.",
        verify=TOPIC,
        look_for="the leader that the controller printed last, from each broker that is asked",
    ),
)
