"""A broker takes metadata of an older controller than it has heard of.

Why it matters
    A broker refuses a request with a controller epoch below the greatest that it knows. If it takes one, it tells
    clients of leaders that are over.

How it is seen
    In all that one broker wrote, in one process: lines that tell how many partitions an UpdateMetadata request added
    to its cache, and removed, print the epochs of controllers, which never fall. A start whose line is missing explains
    it, so it is suspicious. [KR619](#kr619-controller-epoch-taken-falls) says the same of one partition, at TRACE.

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
        f"{request(row, 2)} is of controller epoch {row['controller_epoch']}, and is taken after one of epoch"
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
