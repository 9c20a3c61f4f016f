"""How lemmas speak of the requests that are on the way, where all are LeaderAndIsr."""

from __future__ import annotations

from ..expr import Expr, mapped, record, var
from ..sorts import Int
from .state import CHANNEL, NO_PARTITIONS, NO_ZNODE, Partition, Request, channel

QUEUE = channel(())
at = var("at", Int(0, CHANNEL))
_NOTHING = mapped(var("of", Partition), NO_ZNODE)


def request(broker: Expr, tenure: Expr) -> Expr:
    """The request number `at` of a tenure on its way to a broker; one that says nothing where there are fewer."""
    return QUEUE[broker][tenure].at(at).get(record(Request, broker_epoch=0, states=_NOTHING, new=NO_PARTITIONS))


def is_on_the_way(broker: Expr, tenure: Expr) -> Expr:
    """There is such a request."""
    return at < QUEUE[broker][tenure].length()
