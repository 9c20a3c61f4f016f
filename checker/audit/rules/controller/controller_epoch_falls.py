"""A controller speaks under a smaller epoch than before.

Why it matters
    The controller epoch is what fences an old controller. If it falls, brokers ignore the new controller, or obey two.

How it is seen
    In one broker's log, in the order of its lines. A cluster that was wiped starts again at epoch 1: a fall to 1 is a
    new life if topics are created anew after it, and no finding. Another fall is suspicious, because the first epochs
    of the new life may be in files that are not here; it is illegal if the larger epoch comes again later with no sign
    of a wipe in between. If that is so again and again, two controllers of one id wrote to the file. Within a second
    of the larger epoch, epoch 1 is no such sign: no broker stops, is wiped and is controller again so fast. Where other
    lines show that those of another cluster are there, it is suspicious. A controller that has resigned forgets its
    epoch: what its threads still print they print under epoch 0, which is nobody's. Only if it moves or sends something
    under its own epoch after that, it is illegal.

Releases
    All.
"""

from __future__ import annotations

from .....model.expr import field, ite
from .....model.sorts import Bool
from .....model.views import CONTROLLER_EPOCH_NEVER_FALLS
from ..conditions import step
from ..remedy import CONTROLLER_EPOCH, Remedy
from ..rule import Rule
from ..verdicts import HELD, ILLEGAL, SUSPICIOUS

RULE = Rule(
    code="KR301",
    name="controller-epoch-falls",
    observation="epoch_changes",
    kind="controller",
    verdict=ite(
        step(CONTROLLER_EPOCH_NEVER_FALLS.condition) | field("new_life", Bool),
        HELD,
        ite(field("taken_back", Bool), ILLEGAL, SUSPICIOUS),
    ),
    message=lambda row: (
        f"the epoch of controller {row['controller']} fell from {row['before_controller_epoch']}"
        f" to {row['controller_epoch']}"
    ),
    expected=lambda row: f"an epoch above {row['before_controller_epoch']}, or the signs of a new cluster",
    got=lambda row: f"epoch {row['controller_epoch']}",
    remedy=Remedy(
        workaround="See whether ZooKeeper was wiped, or restored from an old backup. Brokers ignore a"
        " controller whose epoch is smaller than one they have obeyed: restart those that do.",
        verify=CONTROLLER_EPOCH,
        look_for="an epoch that is not smaller than any in the logs",
    ),
)
