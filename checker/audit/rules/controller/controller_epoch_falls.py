"""A controller uses a smaller epoch than before.

Why it matters
    The controller epoch fences old controllers. If it falls, brokers ignore the new controller, or obey two.

How it is seen
    In one broker's log, in the order of its lines. A wiped cluster starts again at epoch 1, so a fall to 1 is a new
    life of the cluster, and no finding, if topics are created anew after it. Any other fall is suspicious, because the
    first epochs of the new life may be in files that are not here. It is illegal if the larger epoch comes back later
    with no sign of a wipe in between; if that happens repeatedly, two controllers with the same id wrote to the file.
    Epoch 1 within a second of the larger epoch is no sign of a wipe: no broker stops, is wiped and becomes controller
    again that fast. Where other lines show that the file mixes two clusters, the finding is suspicious. A controller
    that has resigned forgets its epoch: its threads then print epoch 0, which belongs to nobody. That is illegal only
    if the controller later moves or sends something under its own epoch.

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
    expected=lambda row: f"an epoch above {row['before_controller_epoch']}, or signs of a new cluster",
    got=lambda row: f"epoch {row['controller_epoch']}",
    remedy=Remedy(
        workaround="Check whether ZooKeeper was wiped, or restored from an old backup. Brokers ignore a"
        " controller whose epoch is smaller than one they have obeyed: restart those that do.",
        verify=CONTROLLER_EPOCH,
        look_for="an epoch that is not smaller than any in the logs",
    ),
)
