"""What happens to a cluster from outside: brokers die and come back, topics are created."""

from __future__ import annotations

from ..action import Action, action, waived
from ..expr import Expr, ite, none, setting, some, var
from ..sorts import Value
from .state import (
    BLANK,
    OUTAGES,
    Broker,
    assignment,
    b,
    controller,
    created,
    exists_topic,
    outages,
    p,
    registered,
)

one, other = var("one", Broker), var("other", Broker)


def blank(broker: Expr) -> dict[Expr, Expr | Value]:
    """The updates by which a broker's controller process is gone."""
    return {each[broker]: value for each, value in BLANK.items()}


DIES = action(
    "Die",
    "A broker dies, and its ZooKeeper session ends: it is registered no more, and if it was controller, nobody is.",
    b,
    guard={"is registered": waived(registered.contains(b), "nothing but the count of outages changes for the dead")},
    limits={"outages are left": outages < setting(OUTAGES)},
    updates={
        registered: registered.remove(b),
        controller: ite(controller.eq(some(b)), none(Broker), controller),
        outages: outages + 1,
        **blank(b),
    },
)
COMES_BACK = action(
    "ComeBack",
    "A dead broker starts again and registers.",
    b,
    guard={"is not registered": waived(~registered.contains(b), "nothing but the count of outages changes")},
    limits={"outages are left": outages < setting(OUTAGES)},
    updates={registered: registered.insert(b), outages: outages + 1},
)
CREATES = action(
    "CreateTopic",
    "An administrator creates a topic of one partition with two replicas; the first is the preferred leader.",
    p,
    one,
    other,
    guard={
        "is not there": ~exists_topic(p),
        "two replicas": waived(one.ne(other), "one replica is legal too; two keep instances small"),
    },
    updates={
        created: created.insert(p),
        assignment[p]: assignment[p].put(0, some(one)).put(1, some(other)),
    },
)

ACTIONS: tuple[Action, ...] = (DIES, COMES_BACK, CREATES)
