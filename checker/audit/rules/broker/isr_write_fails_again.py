"""A leader fails to write its ISR again and again, with a version that is over.

Why it matters
    A leader whose version of the partition's state is old cannot change its ISR. Followers that died stay in it, so
    that producers with acks=all wait for them, and such as come back stay out, until the broker is restarted.

How it is seen
    In all that one broker wrote, in one process: the line that tells that an ISR was not written comes for the third
    time with the same version, and the broker took no new state of the partition in between. Once or twice is a race
    with the controller, whose request is on its way. Requests are logged at TRACE up to 2.5: without them a request
    may be missing in between, so it is suspicious.

Releases
    Up to 2.7, which print the line. Up to 1.0 it is what KAFKA-2729 looks like: the broker's ZooKeeper session ended,
    and it came back without noticing that others lead.
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
        f"{where(row)} could not write its ISR for the third time: its version {row['partition_epoch']} is over"
    ),
    cause=lambda row: f"broker {row['broker']} goes on with old versions of its partitions' states",
    expected=lambda row: "a new state from the controller",
    got=lambda row: f"version {row['partition_epoch']} again",
    bug="KAFKA-2729",
    issues=("KAFKA-2729",),
    releases="<=2.7",
    remedy=Remedy(
        workaround="Restart the broker: it takes the states of its partitions anew.",
        verify=STATE,
        look_for="the version that the leader prints",
    ),
)
