"""A leader repeatedly fails to write its ISR, with an outdated version.

Why it matters
    A leader with an outdated version of the partition's state cannot change its ISR. Dead followers stay in it, so
    producers with acks=all wait for them, and followers that return stay out, until the broker is restarted.

How it is seen
    In the lines of one broker process: the line that an ISR was not written appears for the third time with the same
    version, and the broker adopted no new state of the partition in between. Once or twice is a race with the
    controller, whose request is on its way. Up to 2.5 requests are logged at TRACE: without them, a request in between
    may be missing, so the finding is suspicious.

What would make it certain
    Nothing that brokers print. That none of the failed writes was followed by a new state is certain already: the
    version would have changed. But a broker may learn of a new state late, and no guarantee limits how late: the
    controller's request may still be on its way.

Releases
    Up to 2.7, which print the line. Up to 1.0 this is how KAFKA-2729 looks: the broker's ZooKeeper session ended, and
    the broker came back without noticing that others lead.
"""

from __future__ import annotations

from ...observe.broker.refused import failures
from ..remedy import STATE, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

_SECOND = 2

RULE = Rule(
    code="KR623",
    name="isr-write-fails-again",
    observation="isr_write_failures",
    kind="replica",
    compares=True,
    verdict=suspicious_unless(~failures.eq(_SECOND)),
    message=lambda row: (
        f"{where(row)} failed to write its ISR for the third time: its version {row['partition_epoch']} is outdated"
    ),
    cause=lambda row: f"broker {row['broker']} continues with outdated versions of its partitions' states",
    expected=lambda row: "a new state from the controller",
    got=lambda row: f"version {row['partition_epoch']} again",
    bug="KAFKA-2729",
    issues=("KAFKA-2729",),
    releases="<=2.7",
    remedy=Remedy(
        workaround="Restart the broker: it then receives the current states of its partitions.",
        verify=STATE,
        look_for="the version that the leader prints",
    ),
)
