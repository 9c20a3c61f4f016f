"""A broker accepts metadata from an older controller than one it already knows.

Why it matters
    A broker refuses a request with a controller epoch below the greatest that it knows. If it accepts one, it sends
    clients to former leaders.

How it is seen
    In the lines of one broker process: lines about how many partitions an UpdateMetadata request added to the broker's
    cache, and removed, print controller epochs, which never fall. A missing line of a start explains a fall, so the
    finding is suspicious. KR619 is the same rule for one partition, at TRACE.

What would make it certain
    Proof that the process was not restarted. A start is recognised by "starting" alone, whose line may be missing. It
    also prints "Registered broker N at path ..." and "started" in server.log: if that file has other lines of the time
    between the two, and none of these, three lines would have to be missing.

Releases
    ZooKeeper mode since 2.6.
"""

from __future__ import annotations

from ...fields import controller_epoch
from ...observe.compared import was
from ..remedy import CONTROLLER_EPOCH, MOVE_CONTROLLER, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._requests import request

RULE = Rule(
    code="KR642",
    name="metadata-of-older-controller",
    observation="metadata_received",
    kind="broker",
    verdict=suspicious_unless(was(controller_epoch) <= controller_epoch),
    message=lambda row: (
        f"{request(row, 2)} is of controller epoch {row['controller_epoch']}, and is accepted after one of epoch"
        f" {row['before_controller_epoch']}"
    ),
    expected=lambda row: f"controller epoch {row['before_controller_epoch']} or above",
    got=lambda row: f"controller epoch {row['controller_epoch']}",
    releases=">=2.6",
    issues=("KIP-380",),
    remedy=Remedy(
        workaround=MOVE_CONTROLLER, verify=CONTROLLER_EPOCH, look_for="the epoch that the controller printed last"
    ),
)
