"""A broker takes a request of an older controller than it has heard of.

Why it matters
    A broker takes no request with a controller epoch below the greatest that it knows: a controller that was deposed
    and does not know it would undo what its successor decided.

How it is seen
    In all that one broker wrote about a partition, in one process: lines about requests that it carries out, or that
    it caches, print the epochs of controllers, which never fall. That a request was received is no such line: it is
    printed before the request is refused. After a restart a broker takes any controller's request, so nothing is said
    where a start would not show; a start whose line is missing explains it, so it is suspicious.

Releases
    Where requests are logged: at TRACE.
"""

from __future__ import annotations

from ...fields import controller_epoch, process_known
from ...observe.compared import was
from ..remedy import CONTROLLER_EPOCH, MOVE_CONTROLLER, Remedy
from ..rule import Rule
from ..verdicts import suspicious_unless
from ._words import where

RULE = Rule(
    code="KR619",
    name="controller-epoch-taken-falls",
    observation="epochs_received",
    kind="replica",
    applies=process_known,
    verdict=suspicious_unless(was(controller_epoch) <= controller_epoch),
    message=lambda row: (
        f"{where(row)} takes a request of controller epoch {row['controller_epoch']}, after one of epoch"
        f" {row['before_controller_epoch']}"
    ),
    expected=lambda row: f"controller epoch {row['before_controller_epoch']} or above",
    got=lambda row: f"controller epoch {row['controller_epoch']}",
    issues=("KIP-380",),
    remedy=Remedy(
        workaround=MOVE_CONTROLLER, verify=CONTROLLER_EPOCH, look_for="the epoch that the controller printed last"
    ),
)
