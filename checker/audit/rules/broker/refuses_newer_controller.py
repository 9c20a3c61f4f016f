"""A broker refuses a request as outdated, though its controller is not older than the one that it knows.

Why it matters
    A broker that refuses the current controller adopts no new leaders: it leads partitions that others lead by now, or
    does not lead what it should.

How it is seen
    On the line itself with which the broker refuses the whole request. It prints the controller epoch of the request,
    and the greatest that the broker knows: the former is below the latter, because a broker accepts an equal one.

Releases
    ZooKeeper mode: all.
"""

from __future__ import annotations

from ...fields import controller_epoch, known_controller_epoch
from ...table.protocol import Row
from ..remedy import CONTROLLER_EPOCH, Remedy
from ..rule import Rule
from ..verdicts import illegal_unless


def _message(row: Row) -> str:
    controller = "" if row.get("controller") is None else f" {row['controller']}"
    return (
        f"broker {row['broker']} refuses a request of controller{controller} with epoch {row['controller_epoch']} as"
        f" outdated; it knows epoch {row['known_controller_epoch']}"
    )


RULE = Rule(
    code="KR647",
    name="refuses-newer-controller",
    observation="requests_refused",
    kind="broker",
    verdict=illegal_unless(controller_epoch < known_controller_epoch),
    message=_message,
    expected=lambda row: f"a refusal of epochs below {row['known_controller_epoch']}",
    got=lambda row: f"a refusal of epoch {row['controller_epoch']}",
    remedy=Remedy(
        workaround="Restart the broker: it then accepts the requests of any controller.",
        verify=CONTROLLER_EPOCH,
        look_for="the epoch that the controller printed last",
    ),
)
