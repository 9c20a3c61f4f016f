"""A broker accepts a request from an older controller than one it already knows.

Why it matters
    A broker accepts no request with a controller epoch below the greatest that it knows. Otherwise a deposed controller
    that has not noticed would undo its successor's decisions.

How it is seen
    In the lines about a partition from one broker process. Lines about requests that the broker carries out or caches
    print controller epochs, which never fall. The line that a request was received does not count: it is printed before
    the request is refused. After a restart a broker accepts any controller's request, so nothing is reported where a
    start would not show. A missing line of a start explains the fall, so the finding is suspicious.

What would make it certain
    Proof that the process was not restarted. A start is recognised by "starting" alone, whose line may be missing. It
    also prints "Registered broker N at path ..." and "started" in server.log: if that file has other lines of the time
    between the two, and none of these, three lines would have to be missing.

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
        f"{where(row)} accepts a request of controller epoch {row['controller_epoch']}, after one of epoch"
        f" {row['before_controller_epoch']}"
    ),
    expected=lambda row: f"controller epoch {row['before_controller_epoch']} or above",
    got=lambda row: f"controller epoch {row['controller_epoch']}",
    issues=("KIP-380",),
    remedy=Remedy(
        workaround=MOVE_CONTROLLER, verify=CONTROLLER_EPOCH, look_for="the epoch that the controller printed last"
    ),
)
